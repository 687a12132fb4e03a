import { createContext, useContext } from 'react';
import { ViewerDocument } from '../gql/graphql';
import type { ProjectTier } from '../logs/gql/graphql';
import { useServices } from './context';
import { type Choice, neededBy, type Page, paths, projectTiers } from './routes';
import { useResponse } from './useResponse';

/** What the token of the session allows. It is immutable. */
export interface Viewer {
  /** The name of the token; empty until it is known. */
  token: string;
  /** The only projects that can be queried; null for any. */
  projects: readonly string[] | null;
  /** The highest tier that can be queried; null for any. */
  projectTier: string | null;
  /** Whether requests may bypass the cache. */
  refresh: boolean;
  /** Whether any SELECT over the tables can be run. */
  explore: boolean;
  /** Whether logs can be followed. */
  tail: boolean;
  /** Whether what all tokens used can be read. */
  usage: boolean;
  /** Whether tokens can be listed, created and revoked. */
  manageTokens: boolean;
  /** The only values of parameters, by name. */
  boundParameters: readonly { name: string; values: readonly string[] }[];
  /** The names of the saved queries that can be run; null for any. */
  endpoints: readonly string[] | null;
}

/** Until the limits are known, everything is shown: the server rejects what is not allowed. */
export const unknownViewer: Viewer = {
  token: '',
  projects: null,
  projectTier: null,
  refresh: false,
  explore: false,
  tail: false,
  usage: false,
  manageTokens: false,
  boundParameters: [],
  endpoints: null,
};

export const ViewerContext = createContext<Viewer>(unknownViewer);

export const useViewer = (): Viewer => useContext(ViewerContext);

/** Requests what the token allows; null while loading. */
export function useViewerOfSession(): Viewer | null {
  const { client, session } = useServices();
  const { data, failure } = useResponse({
    key: 'viewer',
    load: async (options): Promise<Viewer> => {
      const { data } = await client.query(ViewerDocument, {}, options);
      session.noteName(data.viewer.token);
      return { ...data.viewer, endpoints: data.endpoints.map(({ name }) => name) };
    },
  });
  return data ?? (failure === null ? null : unknownViewer);
}

/** The project of a demo store, and of a server with a single project. */
const firstProject = 'default';

/** The project of a URL that names none: the last used one that the token allows. */
export function usualProject(viewer: Viewer, used: readonly string[]): string {
  if (viewer.projects === null) return used[0] ?? firstProject;
  return used.find((project) => viewer.projects?.includes(project)) ?? viewer.projects[0] ?? '';
}

/** The pages that the token can see, in order. */
export function visiblePages(viewer: Viewer): Page[] {
  return (Object.keys(paths) as Page[]).filter((page) => {
    if (!mayOpen(viewer, page)) return false;
    const needed = neededBy(page);
    return needed.length === 0 || viewer.endpoints === null || needed.some((endpoint) => mayRun(viewer, endpoint));
  });
}

/** Reports whether the token has the right that a page needs besides saved queries. */
export function mayOpen(viewer: Viewer, page: Page): boolean {
  return (page !== 'explore' || viewer.explore) && (page !== 'tokens' || viewer.manageTokens);
}

/** Reports whether the token is known to be able to run a saved query. */
export function mayRun(viewer: Viewer, endpoint: string): boolean {
  return viewer.endpoints?.includes(endpoint) === true;
}

/** The highest tier that the token allows. */
export function usualTier(viewer: Viewer): ProjectTier {
  const tiers = projectTiers.map(({ value }) => value);
  return tiers.find((value) => value === viewer.projectTier) ?? tiers.at(-1) ?? 'FREE';
}

/** The tiers that the token allows, and the selected one, which may come from a link. */
export function visibleTiers(viewer: Viewer, chosen: ProjectTier): readonly Choice<ProjectTier>[] {
  const highest = projectTiers.findIndex(({ value }) => value === viewer.projectTier);
  return projectTiers.filter(({ value }, rank) => highest < 0 || rank <= highest || value === chosen);
}

/** The values of a saved query's parameter that the token allows; null for any. */
export function permittedValues(
  viewer: Viewer,
  { name, scope, allowed }: { name: string; scope: string | null; allowed: readonly string[] },
): readonly string[] | null {
  if (scope === 'project') return viewer.projects;
  const bound = viewer.boundParameters.find((parameter) => parameter.name === name);
  if (bound !== undefined) return bound.values;
  if (scope !== 'tier' || viewer.projectTier === null) return null;
  return allowed.slice(0, allowed.indexOf(viewer.projectTier) + 1);
}
