import { projectTiers, write } from '../app/routes';
import { useViewer, visibleTiers } from '../app/viewer';
import { customRange } from '../time/customRange';

/** Gives the address of the logs of a project from one time to another that match a filter. */
export function useLogsAddress(): (project: string, from: number, to: number, query: string) => string {
  const viewer = useViewer();
  // With the longest retention that the token allows, so that no bucket leads to nothing.
  const tier = visibleTiers(viewer, 'FREE').at(-1)?.value ?? projectTiers[0]?.value ?? 'FREE';
  return (project, from, to, query) =>
    write.logs({ project, tier, query, entry: '', live: false, ...customRange(from, to) });
}
