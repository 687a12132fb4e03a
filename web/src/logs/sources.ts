import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { LogSourcesDocument } from '../gql/graphql';

/** A choice of a field. */
export interface Choice {
  value: string;
  label: string;
}

/** The choices of a field for the source: the log sources of the server, and one that comes from a link. */
export function useSourceChoices(source: string): Choice[] {
  const { client } = useServices();
  const { data } = useResponse({
    key: 'sources',
    enabled: mayRun(useViewer(), 'logs.search'),
    load: async (options) => {
      const { data } = await client.query(LogSourcesDocument, {}, options);
      return data.endpoint?.parameters.find(({ name }) => name === 'source')?.allowed ?? [];
    },
  });
  return sourceChoices(data ?? [], source);
}

/** The choices for some names of sources. Aliases with other signs than names of tables are left out. */
export function sourceChoices(names: readonly string[], source: string): Choice[] {
  const tables = names.filter((name) => /^[a-z][a-z0-9_]*$/.test(name));
  const known = source === '' || tables.includes(source) ? tables : [source, ...tables];
  return [{ value: '', label: 'All sources' }, ...known.map((value) => ({ value, label: value }))];
}
