import { address, paths } from '../app/routes';
import type { Arguments } from './rest';

export interface EndpointsState {
  project: string;
  /** Empty for the one that was run last, or else the first of the shipped ones. */
  name: string;
  /** Values of the form. */
  args: Arguments;
  look: Look;
}

export interface ExploreState extends Omit<EndpointsState, 'name'> {
  /** Empty for an example. */
  sql: string;
  /** Of the SQL; empty for GoogleSQL. */
  dialect: string;
  /** The saved query that the SQL is from, or that is opened if there is no SQL; empty for none. */
  query?: string;
}

/** How rows are shown, as the address has it. A part that is empty or absent is the default. */
export interface Look {
  readonly [part: string]: string;
}

/**
 * The parts of a look: table or chart, how a chart is drawn, the order of rows, the buckets that a chart shows, and its
 * columns and its scale.
 */
const lookNames = ['view', 'shape', 'arrangement', 'sort', 'zoom', 'x', 'y', 'series', 'scale'];

/** Separates arguments from the page's own state. */
const argumentPrefix = 'arg.';

/** Reads the state of the page from its query string. */
export function readEndpoints(params: URLSearchParams, project: string): EndpointsState {
  return {
    project: params.get('project') ?? project,
    name: params.get('name') ?? '',
    args: Object.fromEntries(
      [...new Set(params.keys())].flatMap((key) =>
        key.startsWith(argumentPrefix) ? [[key.slice(argumentPrefix.length), params.getAll(key)]] : [],
      ),
    ),
    look: Object.fromEntries(lookNames.map((name) => [name, params.get(name) ?? ''])),
  };
}

/** Writes the address of the page. */
export function writeEndpoints({ project, name, args, look }: EndpointsState): string {
  return address(
    paths.endpoints,
    [['project', project], ['name', name], ...Object.entries(look)],
    argumentEntries(args),
  );
}

/** Reads the state of the page Explore from its query string. */
export function readExplore(params: URLSearchParams, project: string): ExploreState {
  const [sql, dialect, query] = ['sql', 'dialect', 'query'].map((name) => params.get(name) ?? '');
  return { ...readEndpoints(params, project), sql: sql ?? '', dialect: dialect ?? '', query: query ?? '' };
}

/** Writes the address of the page Explore. */
export function writeExplore({ project, sql, dialect, args, look, query = '' }: ExploreState): string {
  return address(
    paths.explore,
    [['project', project], ...Object.entries(look), ['query', query], ['dialect', dialect], ['sql', sql]],
    argumentEntries(args),
  );
}

function argumentEntries(args: Arguments): [string, string][] {
  return Object.entries(args).flatMap(([parameter, values]) =>
    values.map((value): [string, string] => [argumentPrefix + parameter, value]),
  );
}
