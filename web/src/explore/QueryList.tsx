import { useState } from 'react';
import { useServices } from '../app/context';
import { useResponse } from '../app/useResponse';
import { searchEndpoints } from '../endpoints/search';
import { FailurePanel } from '../ui/states';
import { SearchField } from './SearchField';
import { endpointsOf, tabOf } from './savedQueries';
import type { NewTab } from './tabs';

interface QueryListProps {
  project: string;
  onOpen: (tab: NewTab) => void;
}

/** The saved queries. A click opens one in the editor. */
export function QueryList({ project, onOpen }: QueryListProps) {
  const { client } = useServices();
  const [search, setSearch] = useState('');
  const { data, failure, busy, refresh } = useResponse({
    key: 'explore queries',
    load: (options) => endpointsOf(client, options),
  });
  if (data === null) {
    return failure === null ? null : <FailurePanel failure={failure} busy={busy} onRetry={() => void refresh()} />;
  }
  const found = searchEndpoints(data, search);
  return (
    <>
      <SearchField label="Filter queries" value={search} onChange={setSearch} />
      <ul className="explore-list">
        {found.map((endpoint) => (
          <li key={endpoint.id}>
            <button
              type="button"
              className="explore-entry"
              title={endpoint.description}
              onClick={() => onOpen(tabOf(endpoint, project))}
            >
              <strong className="truncate">{endpoint.name}</strong>
              <span className="muted small truncate">{endpoint.description}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="muted small">No saved query matches.</p> : null}
    </>
  );
}
