import { asObject, type Json } from '../api/json';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { LogSearchDocument } from '../logs/gql/graphql';

interface Invocation {
  path: string | null;
  metadata: unknown;
}

const none: ReadonlyMap<string, string> = new Map();

/** How many events are read for the names of functions. */
const limit = 500;

/** The names of functions by their ids, as the newest events carry them. */
export function useFunctionNames(project: string): ReadonlyMap<string, string> {
  const { client } = useServices();
  const { data } = useResponse({
    key: JSON.stringify(['function names', project]),
    enabled: mayRun(useViewer(), 'logs.search') && project !== '',
    load: async (options) => {
      const variables = { project, filters: ['source:function_edge_logs'], limit };
      return namesOf((await client.query(LogSearchDocument, variables, options)).data.rows);
    },
  });
  return data ?? none;
}

/** Reads names: a member of the metadata, or what the path of an invocation begins with. */
export function namesOf(rows: readonly Invocation[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { path, metadata } of rows) {
    const element = Array.isArray(metadata) ? asObject(metadata[0] as Json) : null;
    const id = element?.function_id;
    const given = element?.function_name ?? element?.function_slug;
    const name = typeof given === 'string' ? given : /^(?:\/functions\/v1)?\/([^/]+)/.exec(path ?? '')?.[1];
    if (typeof id === 'string' && name !== undefined && !names.has(id)) names.set(id, name);
  }
  return names;
}
