import { type KeyboardEvent, type ReactNode, useMemo } from 'react';
import { useServices } from '../app/context';
import { type LogsState, write } from '../app/routes';
import type { Zone } from '../time/format';
import { EntryPanel } from './EntryPanel';
import { Filter } from './filter';
import { LogList } from './LogList';
import type { LogEntry } from './loaded';
import { parseQuery, type Term, wordsOf } from './query';

interface LogEntriesProps {
  entries: LogEntry[];
  state: LogsState;
  zone: Zone;
  /** Whether the entries are those of the state, and not of the one before. */
  settled?: boolean;
  onToggle: (term: Term) => void;
  /** Called when the last entries come into view. */
  onEnd?: () => void;
  /** Called with whether the newest entries are in view. */
  onTop?: (atTop: boolean) => void;
  /** What is below the last entry. */
  end?: ReactNode;
}

/** The entries, and the open one beside them. The address names it, and the arrow keys of the list move it. */
export function LogEntries({ entries, state, zone, settled = true, onToggle, ...list }: LogEntriesProps) {
  const { address } = useServices();
  const words = wordsOf(parseQuery(state.query).terms);
  const filter = useMemo(() => new Filter(words), [words]);
  const show = (part: Partial<LogsState>): void => address.replace(write.logs({ ...state, ...part }));
  const toggleColumn = (name: string): void => {
    const others = state.columns.filter((other) => other !== name);
    show({ columns: others.length < state.columns.length ? others : [...others, name] });
  };
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.key !== 'Escape' || state.entry === '') return;
    show({ entry: '' });
    event.currentTarget.querySelector<HTMLElement>('.log-row[tabindex="0"]')?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears keys of the list and of the panel in it.
    <div className="log-split" onKeyDown={press}>
      <div className="log-columned">
        <ColumnHeads names={state.columns} onRemove={toggleColumn} />
        <LogList
          entries={entries}
          filter={filter}
          zone={zone}
          columns={state.columns}
          open={state.entry}
          settled={settled}
          onOpen={(entry) => show({ entry })}
          {...list}
        />
      </div>
      {state.entry === '' ? null : (
        <EntryPanel
          entries={entries}
          state={state}
          filter={filter}
          zone={zone}
          onToggle={onToggle}
          onColumn={toggleColumn}
          onOpen={(entry) => show({ entry })}
        />
      )}
    </div>
  );
}

/** The names of the columns of metadata, each with a button that removes it. */
function ColumnHeads({ names, onRemove }: { names: readonly string[]; onRemove: (name: string) => void }) {
  if (names.length === 0) return null;
  return (
    <ul className="log-column-heads row small" aria-label="Columns of metadata">
      {names.map((name) => (
        <li key={name}>
          <button type="button" className="badge" aria-label={`Hide the column ${name}`} onClick={() => onRemove(name)}>
            {name} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
