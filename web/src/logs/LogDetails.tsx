import type { ReactNode } from 'react';
import { formatJson, type Json } from '../api/json';
import { Link } from '../app/Link';
import { type LogsState, write } from '../app/routes';
import { customRange } from '../time/customRange';
import { minute, second } from '../time/units';
import { CopyButton } from '../ui/CopyButton';
import { ColumnIcon, ExcludeIcon, IncludeIcon } from '../ui/icons';
import { type Line, requestOf, traceOf } from './entry';
import type { Filter } from './filter';
import type { LogEntry } from './loaded';
import { Marked } from './Marked';
import { MetadataTree } from './MetadataTree';
import { type Term, toggleTerm } from './query';

export interface DetailsProps {
  entry: LogEntry;
  line: Line;
  filter: Filter;
  state: LogsState;
  /** Adds a filter, or removes it. */
  onToggle: (term: Term) => void;
  /** Shows a member of the metadata as a column, or no longer. */
  onColumn: (name: string) => void;
}

/** An entry with all its values, and what can be done with them. */
export function LogDetails({ entry, line, filter, state, onToggle, onColumn }: DetailsProps) {
  const actions = (field: string, value: string): ReactNode => (
    <ValueActions field={field} value={value} onToggle={onToggle} />
  );
  const fields: [string, string][] = [
    ['source', entry.source ?? ''],
    ['status', line.status === null ? '' : String(line.status)],
    ['method', line.method],
    ['path', line.path],
    ['level', line.level],
  ];
  return (
    <div className="log-details wrap">
      <div className="buttons row">
        <EntryLinks entry={entry} state={state} />
        <CopyButton label="Copy as JSON" text={() => formatJson({ ...entry, metadata: entry.metadata as Json })} />
      </div>
      <dl className="facts medium">
        <dt>id</dt>
        <dd className="value-row">
          <code>
            <Marked text={entry.eventId ?? entry.id} filter={filter} />
          </code>
          {actions('id', entry.eventId ?? entry.id)}
        </dd>
        <dt>timestamp</dt>
        <dd className="value-row">
          <code>{entry.timestamp}</code>
          <CopyButton label="Copy timestamp" iconOnly text={() => entry.timestamp} />
        </dd>
        {fields.map(([field, value]) =>
          value === '' ? null : (
            <Fact key={field} field={field} value={value}>
              {actions(field, value)}
            </Fact>
          ),
        )}
        <dt>message</dt>
        <dd>
          {entry.eventMessage === null ? (
            <em>null</em>
          ) : (
            <code>
              <Marked text={entry.eventMessage} filter={filter} />
            </code>
          )}
        </dd>
      </dl>
      <h2 className="label">Metadata</h2>
      <MetadataTree
        value={entry.metadata as Json}
        actions={(name, value) => (
          <>
            {actions(`metadata.${name}`, value)}
            <ColumnButton name={name} shown={state.columns.includes(name)} onColumn={onColumn} />
          </>
        )}
      />
    </div>
  );
}

function Fact({ field, value, children }: { field: string; value: string; children: ReactNode }) {
  return (
    <>
      <dt>{field}</dt>
      <dd className="value-row">
        <code>{value}</code>
        {children}
      </dd>
    </>
  );
}

/** Links to the entry, to what happened around it, and to its request. */
function EntryLinks({ entry, state }: { entry: LogEntry; state: LogsState }) {
  const at = Date.parse(entry.timestamp);
  const stored = { ...state, live: false };
  const around = { ...stored, query: '', entry: entry.id, ...customRange(at - 30 * second, at + 30 * second) };
  const own = { ...stored, query: `id:${entry.eventId ?? entry.id}`, entry: entry.id };
  const link = write.logs({ ...own, ...customRange(at - second, at + second) });
  const related = [
    { label: 'Same request', term: requestOf(entry.metadata as Json) },
    { label: 'Same trace', term: traceOf(entry.metadata as Json) },
  ];
  return (
    <>
      <CopyButton label="Copy link" text={() => new URL(link, window.location.href).href} />
      <Link className="button" href={write.logs(around)}>
        Events around it
      </Link>
      {related.map(({ label, term }) =>
        term === null ? null : (
          <Link
            key={label}
            className="button"
            href={write.logs({
              ...stored,
              query: toggleTerm('', term),
              entry: entry.id,
              ...customRange(at - 10 * minute, at + 10 * minute),
            })}
          >
            {label}
          </Link>
        ),
      )}
    </>
  );
}

interface ValueActionsProps {
  field: string;
  value: string;
  onToggle: (term: Term) => void;
}

/** Shows a member of the metadata as a column of the list, or no longer. */
function ColumnButton({ name, shown, onColumn }: { name: string; shown: boolean; onColumn: (name: string) => void }) {
  const label = `${shown ? 'Hide' : 'Show'} the column ${name}`;
  return (
    <span className="value-actions">
      <button type="button" title={label} aria-label={label} aria-pressed={shown} onClick={() => onColumn(name)}>
        <ColumnIcon />
      </button>
    </span>
  );
}

/** Filters by a value, excludes it, or copies it. */
function ValueActions({ field, value, onToggle }: ValueActionsProps) {
  return (
    <span className="value-actions">
      <button
        type="button"
        title={`Filter by this ${field}`}
        aria-label={`Filter by ${field} ${value}`}
        onClick={() => onToggle({ field, value, excluded: false })}
      >
        <IncludeIcon />
      </button>
      <button
        type="button"
        title={`Exclude this ${field}`}
        aria-label={`Exclude ${field} ${value}`}
        onClick={() => onToggle({ field, value, excluded: true })}
      >
        <ExcludeIcon />
      </button>
      <CopyButton label={`Copy ${field} ${value}`} iconOnly text={() => value} />
    </span>
  );
}
