import { write } from '../app/routes';
import { useViewer, usualTier } from '../app/viewer';
import { customRange } from '../time/customRange';

/** Gives the address of the logs of a project from one time to another that match a filter. */
export function useLogsAddress(): (project: string, from: number, to: number, query: string) => string {
  const tier = usualTier(useViewer());
  return (project, from, to, query) =>
    write.logs({
      project,
      tier,
      usualTier: tier,
      query,
      entry: '',
      columns: [],
      rangeProblem: null,
      live: false,
      ...customRange(from, to),
    });
}
