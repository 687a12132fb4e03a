import { useState } from 'react';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { formatDate, formatSecond } from '../time/format';
import { formatCountOf, formatMilliseconds } from '../ui/numbers';
import { forgetPastRuns, type PastRun, pastRuns, searchRuns } from './history';
import { SearchField } from './SearchField';
import type { NewTab } from './tabs';

/** The last runs in this browser. A click opens one in the editor. */
export function HistoryList({ onOpen }: { onOpen: (tab: NewTab) => void }) {
  const { store } = useServices();
  const { zone } = useLiking();
  const [runs, setRuns] = useState(() => pastRuns(store));
  const [search, setSearch] = useState('');
  const open = ({ dialect, sql, args }: PastRun): void =>
    onOpen({ dialect, texts: { [dialect]: sql }, args, saved: '', kept: false });
  if (runs.length === 0) return <p className="muted small">What you run is listed here. It stays in this browser.</p>;
  const found = searchRuns(runs, search);
  return (
    <>
      <SearchField label="Search the history" value={search} onChange={setSearch} />
      <ul className="explore-list">
        {found.map((run) => (
          <li key={run.at}>
            <button type="button" className="explore-entry" title={run.sql} onClick={() => open(run)}>
              <code className="explore-past">{run.sql}</code>
              <span className="muted small">
                {formatDate(new Date(run.at), zone)} {formatSecond(new Date(run.at), zone)} ·{' '}
                {run.rows === null ? 'failed' : formatCountOf(run.rows, 'row', 'rows')} ·{' '}
                {formatMilliseconds(run.milliseconds)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p className="muted small">No run matches.</p> : null}
      <button
        type="button"
        className="button"
        onClick={() => {
          forgetPastRuns(store);
          setRuns([]);
        }}
      >
        Clear history
      </button>
    </>
  );
}
