import type { ReactNode } from 'react';
import { formatJson, type Json } from '../api/json';
import { Link } from '../app/Link';
import { type LogsState, write } from '../app/routes';
import { customRange } from '../time/customRange';
import { minute, second } from '../time/units';
import { CopyButton } from '../ui/CopyButton';
import { type Line, requestOf } from './entry';
import type { Filter } from './filter';
import type { LogEntry } from './loaded';
import { Marked } from './Marked';
import { MetadataTree } from './MetadataTree';
import { type Term, toggleTerm } from './query';

export interface DetailsProps {
  id: string;
  entry: LogEntry;
  line: Line;
  filter: Filter;
  state: LogsState;
  /** Adds a filter, or removes it. */
  onToggle: (term: Term) => void;
}

/** An entry with all its values, and what can be done with them. */
export function LogDetails({ id, entry, line, filter, state, onToggle }: DetailsProps) {
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
    <div id={id} className="log-details wrap">
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
      <MetadataTree value={entry.metadata as Json} actions={(name, value) => actions(`metadata.${name}`, value)} />
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
  const request = requestOf(entry.metadata as Json);
  return (
    <>
      <CopyButton label="Copy link" text={() => new URL(link, window.location.href).href} />
      <Link className="button" href={write.logs(around)}>
        Events around it
      </Link>
      {request === null ? null : (
        <Link
          className="button"
          href={write.logs({
            ...stored,
            query: toggleTerm('', request),
            entry: entry.id,
            ...customRange(at - 10 * minute, at + 10 * minute),
          })}
        >
          Same request
        </Link>
      )}
    </>
  );
}

interface ValueActionsProps {
  field: string;
  value: string;
  onToggle: (term: Term) => void;
}

/** Filters by a value, excludes it, or copies it. */
function ValueActions({ field, value, onToggle }: ValueActionsProps) {
  return (
    <span className="value-actions">
      <button
        type="button"
        title="Filter by this value"
        aria-label={`Filter by ${field} ${value}`}
        onClick={() => onToggle({ field, value, excluded: false })}
      >
        +
      </button>
      <button
        type="button"
        title="Exclude this value"
        aria-label={`Exclude ${field} ${value}`}
        onClick={() => onToggle({ field, value, excluded: true })}
      >
        −
      </button>
      <CopyButton label={`Copy ${field} ${value}`} iconOnly text={() => value} />
    </span>
  );
}
