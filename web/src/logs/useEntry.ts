import { useState } from 'react';
import { useServices } from '../app/context';
import type { LogsState } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { LogSearchDocument } from './gql/graphql';
import type { LogEntry } from './loaded';
import type { Term } from './query';
import { variablesOf } from './search';

/** The open entry. */
interface OpenEntry {
  entry: LogEntry | null;
  /** Whether it is known that there is none. */
  missing: boolean;
}

/** The entry that the address names: one of those that are loaded, or else requested by its id. */
export function useEntry(state: LogsState, entries: readonly LogEntry[]): OpenEntry {
  const { client } = useServices();
  const searches = mayRun(useViewer(), 'logs.search') && state.project !== '';
  const { project, tier, entry: id } = state;
  const loaded = entries.find((entry) => entry.id === id) ?? null;
  // It stays open when a refresh has replaced the loaded entries.
  const [kept, setKept] = useState(loaded);
  if (loaded !== null && kept !== loaded) setKept(loaded);
  const known = loaded ?? (kept?.id === id ? kept : null);
  const { data, failure, previous } = useResponse({
    key: JSON.stringify(['entry', project, tier, id]),
    enabled: known === null && id !== '' && searches,
    load: async (options) => {
      const variables = { ...variablesOf(state, termsOf(id), { start: null, end: null }), limit: 100 };
      const { data } = await client.query(LogSearchDocument, variables, options);
      return { entry: data.rows.find((row) => row.id === id) ?? null };
    },
  });
  const requested = previous ? null : data;
  return {
    entry: known ?? requested?.entry ?? null,
    missing: known === null && (!searches || failure !== null || requested?.entry === null),
  };
}

/** The filters for an entry by its id, which is that of the event after its source. */
export function termsOf(id: string): Term[] {
  const colon = id.indexOf(':');
  const [source, event] = [id.slice(0, Math.max(0, colon)), id.slice(colon + 1)];
  const terms = [
    { field: 'source', value: source, excluded: false },
    { field: 'id', value: event, excluded: false },
  ];
  return terms.filter(({ value }) => value !== '');
}
