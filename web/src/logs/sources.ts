import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { LogSourcesDocument } from './gql/graphql';

/** The log sources of the server, by the names of their tables; empty until known. */
export function useSources(): readonly string[] {
  const { client } = useServices();
  const { data } = useResponse({
    key: 'sources',
    enabled: mayRun(useViewer(), 'logs.search'),
    load: async (options) => {
      const { data } = await client.query(LogSourcesDocument, {}, options);
      return tablesOf(data.endpoint?.parameters.find(({ name }) => name === 'source')?.allowed ?? []);
    },
  });
  return data ?? [];
}

/** The names of tables. Aliases have other signs. */
export function tablesOf(names: readonly string[]): string[] {
  return names.filter((name) => /^[a-z][a-z0-9_]*$/.test(name));
}
