import type { Client, RequestOptions } from '../api/client';
import { asObject, parseJson } from '../api/json';
import { serverPath } from '../api/server';

const path = serverPath('/api/tokens');

/** Amounts of a budget; 0 is no limit. */
export interface Amounts {
  requests: number;
  rows: number;
  bytes: number;
  engineSeconds: number;
}

/** A token as the server lists it. Times are in ISO 8601; null for a limit is none. */
export interface Token {
  name: string;
  state: 'valid' | 'expired';
  /** Whether the page is signed in with it. */
  current: boolean;
  /** Whether the tokens file has it. */
  revocable: boolean;
  created: string | null;
  expires: string | null;
  lastUsed: string | null;
  /** The latest day with a run of a saved query. */
  lastDay: string | null;
  scopes: readonly string[];
  endpoints: readonly string[] | null;
  projects: readonly string[] | null;
  projectTier: string | null;
  sources: readonly string[] | null;
  rate: number | null;
  burst: number | null;
  budgetHour: Amounts;
  budgetDay: Amounts;
  today: { requests: number; runs: number; bytes: number; engineSeconds: number };
}

/** What a token can be allowed besides saved queries. */
export interface Scope {
  name: string;
  allows: string;
  /** Whether the token of the page has it, and so may grant it. */
  grantable: boolean;
}

/** The tokens of a server, and what new ones can have. */
export interface TokenList {
  tokens: readonly Token[];
  /** Why tokens cannot be created and revoked; empty if they can be. */
  obstacle: string;
  scopes: readonly Scope[];
  choices: { endpoints: readonly string[]; projectTiers: readonly string[]; sources: readonly string[] };
}

/** Requests the tokens. Throws a Failure. */
export async function loadTokens(client: Client, options: RequestOptions): Promise<TokenList> {
  return (await result(await client.request(path, options))) as unknown as TokenList;
}

/** Creates a token, and returns its secret, which the server does not tell again. Throws a Failure. */
export async function createToken(client: Client, draft: Draft, now: Date): Promise<string> {
  const created = await result(await client.request(path, { body: requestOf(draft, now) }));
  return String(created?.secret);
}

/** Revokes a token. Throws a Failure. */
export async function revokeToken(client: Client, name: string): Promise<void> {
  await client.request(`${path}/${encodeURIComponent(name)}`, { method: 'DELETE' });
}

async function result(response: Response) {
  return asObject(asObject(parseJson(await response.text()))?.result);
}

/** What the form of a new token has, as typed. Empty texts are no limits. */
export interface Draft {
  name: string;
  scopes: readonly string[];
  projects: string;
  endpoints: string;
  projectTier: string;
  sources: string;
  rate: string;
  requests: string;
  bytes: string;
  seconds: string;
  /** Days until it expires; empty for never. */
  days: string;
}

export const emptyDraft: Draft = {
  name: '',
  scopes: [],
  projects: '',
  endpoints: '',
  projectTier: '',
  sources: '',
  rate: '',
  requests: '',
  bytes: '',
  seconds: '',
  days: '90',
};

/** How long a new token can live. */
export const lifetimes = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
];

/** The body of the request for a new token. Limits that are empty are left out, since empty ones are mistakes. */
export function requestOf(draft: Draft, now: Date): { [field: string]: unknown } {
  const expires = new Date(now.getTime() + Number(draft.days) * 24 * 3600 * 1000);
  return {
    name: draft.name.trim(),
    ...given('scopes', draft.scopes),
    // The form hides the limits of a token that manages others, which can have none.
    ...(draft.scopes.includes('manage_tokens') ? {} : limitsOf(draft)),
    ...(draft.days === '' ? {} : { expires: `${expires.toISOString().slice(0, 19)}Z` }),
  };
}

function limitsOf(draft: Draft): { [field: string]: unknown } {
  const budget = { requests: draft.requests, bytes: draft.bytes, engine_seconds: draft.seconds };
  return {
    ...given('projects', listOf(draft.projects)),
    ...given('endpoints', listOf(draft.endpoints)),
    ...given('projectTier', draft.projectTier),
    ...given('sources', draft.scopes.includes('ingest') ? listOf(draft.sources) : []),
    // What is not a number goes to the server as it is, which says what it expects.
    ...(draft.rate.trim() === '' ? {} : { rate: numberOr(draft.rate) }),
    ...given(
      'budgetDay',
      Object.entries(budget).filter(([, amount]) => amount.trim() !== ''),
      Object.fromEntries,
    ),
  };
}

function given<Value extends { length: number }>(
  field: string,
  value: Value,
  write: (value: Value) => unknown = (same) => same,
): { [field: string]: unknown } {
  return value.length === 0 ? {} : { [field]: write(value) };
}

/** The names in a text, separated by commas or spaces. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((name) => name !== ''))];
}

function numberOr(text: string): number | string {
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
