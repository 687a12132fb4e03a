import type { Endpoint } from './rest';

/** The endpoints whose name, aliases or description contain each word, those with the name first. */
export function searchEndpoints(endpoints: readonly Endpoint[], text: string): Endpoint[] {
  const words = text.toLowerCase().split(/\s+/);
  const has = (haystack: string): boolean => words.every((word) => haystack.toLowerCase().includes(word));
  const byName = endpoints.filter(({ name }) => has(name));
  const others = endpoints.filter(
    (endpoint) =>
      !byName.includes(endpoint) && has([endpoint.name, ...endpoint.aliases, endpoint.description].join(' ')),
  );
  return [...byName, ...others];
}
