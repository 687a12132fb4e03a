import { address, choose, paths, type View, views } from '../app/routes';
import type { Arguments } from './rest';

export interface EndpointsState {
  project: string;
  /** Empty for the first one. */
  name: string;
  /** Values of the form. */
  args: Arguments;
  view: View;
}

export interface ExploreState extends Omit<EndpointsState, 'name'> {
  /** Empty for an example. */
  sql: string;
}

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
    view: choose(params, 'view', views, 'table'),
  };
}

/** Writes the address of the page. */
export function writeEndpoints({ project, name, args, view }: EndpointsState): string {
  return address(paths.endpoints, [['project', project], ['name', name], viewEntry(view)], argumentEntries(args));
}

/** Reads the state of the page Explore from its query string. */
export function readExplore(params: URLSearchParams, project: string): ExploreState {
  return { ...readEndpoints(params, project), sql: params.get('sql') ?? '' };
}

/** Writes the address of the page Explore. */
export function writeExplore({ project, sql, args, view }: ExploreState): string {
  return address(paths.explore, [['project', project], viewEntry(view), ['sql', sql]], argumentEntries(args));
}

function viewEntry(view: View): [string, string] {
  return ['view', view === 'table' ? '' : view];
}

function argumentEntries(args: Arguments): [string, string][] {
  return Object.entries(args).flatMap(([parameter, values]) =>
    values.map((value): [string, string] => [argumentPrefix + parameter, value]),
  );
}
