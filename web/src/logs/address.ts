import { choose, type LogsState, logRanges, projectTiers } from '../app/routes';
import type { ProjectTier } from './gql/graphql';

/** Reads the state of the page from its query string. Invalid values become defaults. */
export function readLogs(params: URLSearchParams, project: string, usualTier: ProjectTier): LogsState {
  return {
    project: params.get('project') ?? project,
    tier: choose(params, 'tier', projectTiers, usualTier),
    usualTier,
    // Earlier addresses always had a tier, and no range for all that it keeps.
    range: choose(params, 'range', logRanges, params.has('tier') ? 'all' : '1d'),
    start: params.get('start') ?? '',
    end: params.get('end') ?? '',
    query: params.get('q') ?? earlierQuery(params),
    entry: params.get('entry') ?? '',
    live: params.has('live'),
  };
}

/** The filters that earlier addresses had one by one, as the filter bar has them. */
function earlierQuery(params: URLSearchParams): string {
  const given = (name: string): string => params.get(name) ?? '';
  const filters = ['source', 'status', 'method', 'path'].filter((name) => given(name) !== '');
  const words = ['text', 'filter'].map((name) => JSON.stringify(given(name))).filter((word) => word !== '""');
  return [...words, ...filters.map((name) => `${name}:${JSON.stringify(given(name))}`)].join(' ');
}
