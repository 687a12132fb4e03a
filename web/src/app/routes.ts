import { serverPath } from '../api/server';
import type { InvocationInterval } from '../gql/graphql';
import type { ProjectTier } from '../logs/gql/graphql';
import type { ApiCountInterval } from '../usage/gql/graphql';
import list from './pages.json';

/** A page of the list, which the server reads, too: it serves the dashboard at each path. */
export type Page = keyof typeof list;

/** The pages, by their paths. */
export const paths = ofPages(({ path }) => serverPath(path));

/** The page names in navigation, headings and titles. */
export const pageNames = ofPages(({ name }) => name);

/** The saved queries of which a page needs one; none for a page about all of them. */
export const neededBy = (page: Page): readonly string[] => list[page].needs;

function ofPages<Value>(read: (page: (typeof list)[Page]) => Value): { [page in Page]: Value } {
  return Object.fromEntries(Object.entries(list).map(([page, entry]) => [page, read(entry)])) as never;
}

/** Where the server serves GraphiQL, a page of its own. */
export const graphiqlPath = serverPath('/graphiql');

/** The page at a path, which may have slashes at its end; null where there is none. */
export function pageAt(path: string): Page | null {
  const bare = (text: string): string => text.replace(/\/+$/, '');
  const found = Object.entries(paths).find(([, at]) => bare(at) === bare(path));
  return found === undefined ? null : (found[0] as Page);
}

/** How a chart is shown. */
export type View = 'chart' | 'table';

/** How execution times are scaled. */
export type TimeScale = 'linear' | 'log';

export interface FunctionsState {
  project: string;
  scale: TimeScale;
  /** Empty for all functions. */
  functionId: string;
  interval: InvocationInterval;
  view: View;
  /** The order of the table of functions; empty for the usual one. */
  sort: string;
}

export interface UsageState {
  project: string;
  interval: ApiCountInterval;
  view: View;
  /** What tokens used; null where it is closed. */
  load: LoadState | null;
}

/** Which usage of tokens is shown. Empty texts are the defaults. */
export interface LoadState {
  /** What it is added up by. */
  by: string;
  /** The only token and the only saved query that it is of. */
  token: string;
  endpoint: string;
  measure: string;
  /** A number of days, or the first and the last one. */
  days: string;
}

export interface LogsState {
  project: string;
  tier: ProjectTier;
  /** The tier of addresses that name none: the highest that the token allows. */
  usualTier: ProjectTier;
  /** A preset such as "1h", or "custom" for start and end. */
  range: LogRange;
  /** As typed; empty for no bound. Only of a custom range, which has its start and not its end. */
  start: string;
  end: string;
  /** The text of the filter bar. */
  query: string;
  /** The id of the entry that is open; empty for none. */
  entry: string;
  /** The members of the metadata that have columns, by their names. */
  columns: readonly string[];
  /** What is wrong with the time range of the address, for people; null for nothing. */
  rangeProblem: string | null;
  /** Whether new events are shown as they arrive. */
  live: boolean;
}

/** Values and their spelling in addresses, the same as in REST parameters. */
export const invocationIntervals: readonly Choice<InvocationInterval>[] = [
  { value: 'FIVE_MINUTES', slug: '5min', label: '5 min' },
  { value: 'FIFTEEN_MINUTES', slug: '15min', label: '15 min' },
  { value: 'ONE_HOUR', slug: '1hr', label: '1 hour' },
  { value: 'ONE_DAY', slug: '1day', label: '1 day' },
  { value: 'SEVEN_DAYS', slug: '7day', label: '7 days' },
];

export const apiCountIntervals: readonly Choice<ApiCountInterval>[] = [
  { value: 'MINUTELY', slug: 'minutely', label: 'Last hour by minute' },
  { value: 'HOURLY', slug: 'hourly', label: 'Last hour' },
  { value: 'DAILY', slug: 'daily', label: 'Last 7 days' },
];

/** The tiers, lowest first, and for how many days each keeps logs. */
export const projectTiers: readonly (Choice<ProjectTier> & { days: number })[] = [
  { value: 'FREE', slug: 'FREE', label: 'Free · 1 day', days: 1 },
  { value: 'PRO', slug: 'PRO', label: 'Pro · 7 days', days: 7 },
  { value: 'PAYG', slug: 'PAYG', label: 'Pay as you go · 90 days', days: 90 },
  { value: 'ENTERPRISE', slug: 'ENTERPRISE', label: 'Enterprise · 90 days', days: 90 },
];

export type LogRange = 'all' | '15m' | '1h' | '6h' | '1d' | '7d' | 'custom';

export const logRanges: readonly (Choice<LogRange> & { minutes: number | null })[] = [
  { value: 'all', slug: 'all', label: 'All', minutes: null },
  { value: '15m', slug: '15m', label: '15 min', minutes: 15 },
  { value: '1h', slug: '1h', label: '1 hour', minutes: 60 },
  { value: '6h', slug: '6h', label: '6 hours', minutes: 6 * 60 },
  { value: '1d', slug: '1d', label: '1 day', minutes: 24 * 60 },
  { value: '7d', slug: '7d', label: '7 days', minutes: 7 * 24 * 60 },
  { value: 'custom', slug: 'custom', label: 'Custom', minutes: null },
];

export interface Choice<Value extends string> {
  value: Value;
  slug: string;
  label: string;
}

export const timeScales: readonly Choice<TimeScale>[] = [
  { value: 'linear', slug: 'linear', label: 'Linear' },
  { value: 'log', slug: 'log', label: 'Log' },
];

export const views: readonly Choice<View>[] = [
  { value: 'chart', slug: 'chart', label: 'Chart' },
  { value: 'table', slug: 'table', label: 'Table' },
];

/** Reads the state of a page from its query string. Invalid values become defaults. Other pages read their own. */
export const read = {
  functions: (params: URLSearchParams, project: string): FunctionsState => ({
    project: params.get('project') ?? project,
    functionId: params.get('function') ?? '',
    interval: choose(params, 'interval', invocationIntervals, 'ONE_DAY'),
    view: choose(params, 'view', views, 'chart'),
    scale: choose(params, 'scale', timeScales, 'linear'),
    sort: params.get('sort') ?? '',
  }),
  usage: (params: URLSearchParams, project: string): UsageState => ({
    project: params.get('project') ?? project,
    interval: choose(params, 'interval', apiCountIntervals, 'DAILY'),
    view: choose(params, 'view', views, 'chart'),
    load: readLoad(params),
  }),
};

function readLoad(params: URLSearchParams): LoadState | null {
  const by = params.get('by');
  if (by === null) return null;
  const [token = '', endpoint = '', measure = '', days = ''] = loadKeys.map((key) => params.get(key) ?? '');
  return { by, token, endpoint, measure, days };
}

const loadKeys = ['token', 'endpoint', 'measure', 'days'] as const;

/** Writes the address of a page that others link to. Defaults are left out, but never the project. */
export const write = {
  functions: (state: FunctionsState): string =>
    address(paths.functions, [
      ['project', state.project],
      ['function', state.functionId],
      ['interval', slugOf(invocationIntervals, state.interval)],
      ['view', state.view === 'chart' ? '' : state.view],
      ['scale', state.scale === 'linear' ? '' : state.scale],
      ['sort', state.sort],
    ]),
  usage: (state: UsageState): string =>
    address(paths.usage, [
      ['project', state.project],
      ['interval', slugOf(apiCountIntervals, state.interval)],
      ['view', state.view === 'chart' ? '' : state.view],
      ['by', state.load?.by ?? ''],
      ...loadKeys.map((key): [string, string] => [key, state.load?.[key] ?? '']),
    ]),
  logs: (state: LogsState): string =>
    address(paths.logs, [
      ['project', state.project],
      ['tier', state.tier === state.usualTier ? '' : state.tier],
      ['range', state.range],
      ['start', state.range === 'custom' ? state.start : ''],
      ['end', state.range === 'custom' ? state.end : ''],
      ['q', state.query],
      ['columns', state.columns.join(',')],
      ['entry', state.entry],
      ['live', state.live ? '1' : ''],
    ]),
};

/** The address of a path with its state; the further entries keep those that are empty. */
export function address(path: string, entries: [string, string][], further: [string, string][] = []): string {
  const params = new URLSearchParams([...entries.filter(([, value]) => value !== ''), ...further]);
  return params.size === 0 ? path : `${path}?${params}`;
}

/** The value of a parameter in an address; the fallback if it has none, or an unknown one. */
export function choose<Value extends string>(
  params: URLSearchParams,
  key: string,
  choices: readonly Choice<Value>[],
  fallback: Value,
): Value {
  const slug = params.get(key);
  return choices.find((choice) => choice.slug === slug)?.value ?? fallback;
}

/** The spelling of a value in addresses and over REST. */
export function slugOf<Value extends string>(choices: readonly Choice<Value>[], value: Value): string {
  return choices.find((choice) => choice.value === value)?.slug ?? '';
}
