/** A fragment without the token that it carried. */
export interface TakenToken {
  token: string;
  /** The rest of the fragment, with its "#"; empty if there is none. */
  rest: string;
}

/**
 * Takes the token out of a fragment such as "#token=abc". Fragments are never sent
 * to a server, but they stay in histories and on screens, so the caller must
 * remove it from the address.
 */
export function takeToken(fragment: string): TakenToken | null {
  const parts = fragment.replace(/^#/, '').split('&');
  const mine = parts.find((part) => part.startsWith('token='));
  if (mine === undefined) return null;
  const rest = parts.filter((part) => part !== mine && part !== '').join('&');
  return { token: decode(mine.slice('token='.length)).trim(), rest: rest === '' ? '' : `#${rest}` };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // A lone "%" is literal.
  }
}
