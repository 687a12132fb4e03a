import { choose, type LogsState, logRanges, projectTiers } from '../app/routes';
import { isTime, parseTime } from '../time/iso';
import type { ProjectTier } from './gql/graphql';

/** Reads the state of the page from its query string. Invalid values become defaults, but a time range that cannot be read is a problem. */
export function readLogs(params: URLSearchParams, project: string, usualTier: ProjectTier): LogsState {
  const range = choose(params, 'range', logRanges, params.has('tier') ? 'all' : '1d');
  const [start, end] = [params.get('start') ?? '', params.get('end') ?? ''];
  return {
    project: params.get('project') ?? project,
    tier: choose(params, 'tier', projectTiers, usualTier),
    usualTier,
    // Earlier addresses always had a tier, and no range for all that it keeps.
    range,
    start,
    end,
    rangeProblem: range === 'custom' ? problemOfBounds(start, end) : problemOfPreset(params.get('range'), range),
    query: params.get('q') ?? earlierQuery(params),
    entry: params.get('entry') ?? '',
    columns: [...new Set((params.get('columns') ?? '').split(',').filter((name) => name !== ''))],
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

/** What is wrong with the name of a preset; null for nothing. */
function problemOfPreset(given: string | null, range: string): string | null {
  if (given === null || given === range) return null;
  return `“${given}” is not a time range. The ranges are ${logRanges.map(({ slug }) => slug).join(', ')}.`;
}

/** What is wrong with the bounds of a custom range; null for nothing. */
function problemOfBounds(start: string, end: string): string | null {
  const wrong = [start, end].find((text) => text !== '' && !isTime(text));
  if (wrong !== undefined) return `“${wrong}” is not a time, such as 2026-11-24 04:00.`;
  const [from, to] = [parseTime(start), parseTime(end)];
  if (from === null || to === null || from < to) return null;
  return `The range begins at ${start}, which is not before its end at ${end}.`;
}
