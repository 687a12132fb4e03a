import { lazy, Suspense } from 'react';
import type { LogsState } from '../app/routes';
import { formatFull, type Zone } from '../time/format';
import { CloseIcon } from '../ui/icons';
import { Skeleton } from '../ui/states';
import { lineOf } from './entry';
import type { Filter } from './filter';
import type { LogEntry } from './loaded';
import type { Term } from './query';
import { useEntry } from './useEntry';

const LogDetails = lazy(async () => ({ default: (await import('./LogDetails')).LogDetails }));

interface EntryPanelProps {
  entries: readonly LogEntry[];
  state: LogsState;
  filter: Filter;
  zone: Zone;
  onToggle: (term: Term) => void;
  onColumn: (name: string) => void;
  /** Opens another entry; an empty id closes the panel. */
  onOpen: (id: string) => void;
}

/** The open entry, beside the list. In a narrow window it covers the page. */
export function EntryPanel({ entries, state, filter, zone, onToggle, onColumn, onOpen }: EntryPanelProps) {
  const { entry, missing } = useEntry(state, entries);
  const index = entries.findIndex(({ id }) => id === state.entry);
  const [newer, older] = index < 0 ? [] : [entries[index - 1], entries[index + 1]];
  return (
    <section id="log-entry" className="log-panel" aria-label="Log entry">
      <header className="row">
        <h2>{entry === null ? 'Log entry' : formatFull(new Date(entry.timestamp), zone)}</h2>
        <StepButton label="Newer entry" sign="↑" to={newer} onOpen={onOpen} />
        <StepButton label="Older entry" sign="↓" to={older} onOpen={onOpen} />
        <button
          type="button"
          className="button"
          aria-label="Close the entry"
          title="Close (Esc)"
          onClick={() => onOpen('')}
        >
          <CloseIcon />
        </button>
      </header>
      {entry !== null ? (
        <Suspense fallback={<Skeleton label="Loading the entry" height="rows" />}>
          <LogDetails
            entry={entry}
            line={lineOf(entry)}
            filter={filter}
            state={state}
            onToggle={onToggle}
            onColumn={onColumn}
          />
        </Suspense>
      ) : missing ? (
        <p className="log-details wrap">
          There is no entry <code>{state.entry}</code> in this project, or the tier does not keep it any more.
        </p>
      ) : (
        <Skeleton label="Loading the entry" height="rows" />
      )}
    </section>
  );
}

interface StepButtonProps {
  label: string;
  sign: string;
  to: LogEntry | undefined;
  onOpen: (id: string) => void;
}

/** Opens the next entry in one direction. */
function StepButton({ label, sign, to, onOpen }: StepButtonProps) {
  return (
    // A disabled button would lose the focus.
    <button
      type="button"
      className="button"
      aria-label={label}
      title={label}
      aria-disabled={to === undefined}
      onClick={() => {
        if (to !== undefined) onOpen(to.id);
      }}
    >
      {sign}
    </button>
  );
}
