import { formatBytes, formatCount } from '../ui/numbers';
import type { Amounts, Token } from './tokens';

const scopeNames: { [scope: string]: string } = {
  ingest: 'send logs',
  refresh: 'bypass the cache',
  sandbox: 'SQL in sandboxes',
  explore: 'explore',
  alerts: 'silence alerts',
  metrics: 'all metrics',
  manage_tokens: 'manage tokens',
};

/** The words of a scope in a list and in a form. */
export const scopeName = (scope: string): string => scopeNames[scope] ?? scope;

/** What a token may do. */
export function rightsOf({ scopes, endpoints }: Token): string {
  const queries = endpoints === null ? 'all saved queries' : endpoints.join(', ');
  return [queries, ...scopes.map(scopeName)].filter((text) => text !== '').join(', ');
}

/** What a token is limited to. */
export function limitsOf({ projects, projectTier, sources }: Token): string {
  const limits = [
    projects === null ? '' : projects.join(', '),
    projectTier === null ? '' : `up to ${projectTier}`,
    sources === null ? '' : `logs of ${sources.join(', ')}`,
  ].filter((text) => text !== '');
  return limits.length === 0 ? 'All' : limits.join('; ');
}

/** How much a token may request and cost. */
export function ratesOf({ rate, budgetHour, budgetDay }: Token): string {
  const parts = [
    rate === null ? '' : `${rate} per s`,
    ...amountsOf(budgetHour).map((amount) => `${amount} per hour`),
    ...amountsOf(budgetDay).map((amount) => `${amount} per day`),
  ].filter((text) => text !== '');
  return parts.length === 0 ? '–' : parts.join('; ');
}

function amountsOf({ requests, rows, bytes, engineSeconds }: Amounts): string[] {
  return [
    requests > 0 ? `${formatCount(requests)} runs` : '',
    rows > 0 ? `${formatCount(rows)} rows` : '',
    bytes > 0 ? formatBytes(bytes) : '',
    engineSeconds > 0 ? `${engineSeconds} s` : '',
  ].filter((text) => text !== '');
}
