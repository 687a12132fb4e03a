import type { EndpointsQuery } from '../gql/graphql';
import { formatCount } from '../ui/numbers';

export type Endpoint = EndpointsQuery['endpoints'][number];
export type Parameter = Endpoint['parameters'][number];

/** Arguments of a form, by parameter. An absent or empty one is not sent. */
export interface Arguments {
  [parameter: string]: string;
}

/** The arguments that are sent, in the order of their parameters. */
export function sentArguments(endpoint: Endpoint, args: Arguments): [string, string][] {
  return endpoint.parameters.flatMap(({ name }): [string, string][] => {
    const value = args[name] ?? '';
    return value === '' ? [] : [[name, value]];
  });
}

/** The address that runs a saved query. */
export function restPath(endpoint: Endpoint, args: Arguments): string {
  const query = new URLSearchParams(sentArguments(endpoint, args));
  const path = `/api/endpoints/${encodeURIComponent(endpoint.name)}`;
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The required parameters without a value. */
export function missingParameters(endpoint: Endpoint, args: Arguments): string[] {
  return endpoint.parameters
    .filter(({ name, required }) => required && (args[name] ?? '') === '')
    .map(({ name }) => name);
}

/** The rules for a parameter's value, in words. */
export function rulesOf(parameter: Parameter): string {
  const rules = [
    parameter.required ? 'required' : parameter.default === null ? 'optional' : `default ${parameter.default}`,
    parameter.fallback === null ? '' : `other values mean ${parameter.fallback}`,
    parameter.format === 'regex' ? 'a regular expression (RE2)' : '',
    parameter.type === 'TIMESTAMP' ? 'ISO 8601, UTC by default' : '',
    parameter.pattern === null ? '' : `must match ${parameter.pattern}`,
    parameter.maxLength === null || parameter.allowed.length > 0
      ? ''
      : `at most ${formatCount(parameter.maxLength)} characters`,
  ];
  return rules.filter((rule) => rule !== '').join(' · ');
}
