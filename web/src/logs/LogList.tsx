import { type KeyboardEvent, memo, useId, useMemo, useRef, useState } from 'react';
import { formatJson, type Json } from '../api/json';
import { formatFull, type Zone, zoneName } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { ChevronIcon } from '../ui/icons';
import { formatCountOf, formatMilliseconds } from '../ui/numbers';
import { lineOf, matches, searchText, statusClass } from './entry';
import type { LogEntry } from './loaded';
import { MetadataTree } from './MetadataTree';

interface LogListProps {
  entries: LogEntry[];
  filter: string;
  zone: Zone;
}

/** The entries that match the filter, and how many of the loaded ones they are. */
export function LogList({ entries, filter, zone }: LogListProps) {
  const searched = useMemo(() => entries.map((entry) => ({ entry, text: searchText(entry) })), [entries]);
  const shown = searched.filter(({ text }) => matches(text, filter)).map(({ entry }) => entry);
  return (
    <>
      <p className="list-count" role="status">
        {filter.trim() === ''
          ? `${formatCountOf(entries.length, 'entry', 'entries')} loaded, newest first. Times are ${zoneName(zone, new Date())}.`
          : `${shown.length} of ${entries.length} loaded entries match; those that are not loaded are not searched.`}
      </p>
      <ol className="log-list">
        {shown.map((entry) => (
          <Row key={entry.id} entry={entry} zone={zone} />
        ))}
      </ol>
    </>
  );
}

const Row = memo(function Row({ entry, zone }: { entry: LogEntry; zone: Zone }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const line = lineOf(entry);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    button.current?.focus(); // Wherever it was in the details, they are gone.
  };
  return (
    <li onKeyDown={press}>
      <button
        ref={button}
        type="button"
        className="log-row"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <ChevronIcon />
        <time dateTime={entry.timestamp}>{formatFull(new Date(entry.timestamp), zone)}</time>
        {line.status === null ? (
          <span />
        ) : (
          <span className={`status status-${statusClass(line.status)}`}>{line.status}</span>
        )}
        <span className="log-method">{line.method}</span>
        <span className="log-target">{line.target === '' ? (entry.eventMessage ?? '(no text)') : line.target}</span>
        <span className="log-duration">{line.originTime === null ? '' : formatMilliseconds(line.originTime)}</span>
      </button>
      {open ? <Details id={id} entry={entry} /> : null}
    </li>
  );
});

function Details({ id, entry }: { id: string; entry: LogEntry }) {
  return (
    <div id={id} className="log-details">
      <div className="buttons">
        <CopyButton label="Copy as JSON" text={() => formatJson({ ...entry, metadata: entry.metadata as Json })} />
      </div>
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <code>{entry.id}</code>
        </dd>
        <dt>Timestamp</dt>
        <dd>
          <code>{entry.timestamp}</code>
        </dd>
        <dt>Message</dt>
        <dd>{entry.eventMessage === null ? <em>null</em> : <code>{entry.eventMessage}</code>}</dd>
      </dl>
      <h2>Metadata</h2>
      <MetadataTree value={entry.metadata as Json} />
    </div>
  );
}
