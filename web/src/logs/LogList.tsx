import { type KeyboardEvent, memo, useId, useMemo, useRef, useState } from 'react';
import { formatJson, type Json } from '../api/json';
import { formatFull, type Zone } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { ChevronIcon } from '../ui/icons';
import { formatCount, formatCountOf, formatMilliseconds } from '../ui/numbers';
import { type Line, lineOf, statusTone } from './entry';
import { excerpt, Filter, filteredTexts, shownTexts, targetOf } from './filter';
import type { LogEntry } from './loaded';
import { Marked } from './Marked';
import { MetadataTree } from './MetadataTree';

interface LogListProps {
  entries: LogEntry[];
  /** As typed. */
  filter: string;
  /** Whether the filter only highlights, because the server has applied it. */
  filtered?: boolean;
  zone: Zone;
}

/** The entries that match the filter, and their number. */
export function LogList({ entries, filter: text, filtered = false, zone }: LogListProps) {
  const filter = useMemo(() => new Filter(text), [text]);
  const searched = useMemo(() => entries.map((entry) => ({ entry, texts: filteredTexts(entry) })), [entries]);
  const shown = searched.filter(({ texts }) => filtered || filter.matches(texts)).map(({ entry }) => entry);
  return (
    <>
      <p className="list-count caption muted small" role="status">
        {filtered || filter.isEmpty
          ? `${formatCountOf(entries.length, 'entry', 'entries')}, newest first`
          : `${formatCount(shown.length)} of ${formatCountOf(entries.length, 'loaded entry', 'loaded entries')}`}
      </p>
      <ol className="log-list">
        {shown.map((entry) => (
          <Row key={entry.id} entry={entry} filter={filter} zone={zone} />
        ))}
      </ol>
    </>
  );
}

const Row = memo(function Row({ entry, filter, zone }: { entry: LogEntry; filter: Filter; zone: Zone }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const line = lineOf(entry);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open) return;
    setOpen(false);
    button.current?.focus(); // The focus may have been in the details.
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
        <time className="muted truncate" dateTime={entry.timestamp}>
          {formatFull(new Date(entry.timestamp), zone)}
        </time>
        {line.status === null ? (
          <span />
        ) : (
          <span className={`badge ${statusTone(line.status)}`}>
            <Marked text={String(line.status)} filter={filter} />
          </span>
        )}
        <strong className="small">
          <Marked text={line.method} filter={filter} />
        </strong>
        <span className="log-target mono truncate">
          {entry.source === undefined ? null : <span className="badge">{entry.source.replace('_logs', '')}</span>}{' '}
          <Marked text={targetOf(entry, line)} filter={filter} />
        </span>
        <span className="log-duration numeric muted">
          {line.originTime === null ? '' : formatMilliseconds(line.originTime)}
        </span>
        <HiddenMatch entry={entry} line={line} filter={filter} />
      </button>
      {open ? <Details id={id} entry={entry} filter={filter} /> : null}
    </li>
  );
});

/** The match of an entry, if the rest of its row does not show it. */
function HiddenMatch({ entry, line, filter }: { entry: LogEntry; line: Line; filter: Filter }) {
  if (filter.isEmpty || filter.matches(shownTexts(entry, line))) return null;
  const message = excerpt(entry.eventMessage ?? '', filter);
  return (
    <span className="log-match muted mono small truncate">
      <Marked text={message ?? entry.eventId ?? entry.id} filter={filter} />
    </span>
  );
}

function Details({ id, entry, filter }: { id: string; entry: LogEntry; filter: Filter }) {
  return (
    <div id={id} className="log-details wrap">
      <dl className="facts medium">
        <dt>Id</dt>
        <dd>
          <code>
            <Marked text={entry.eventId ?? entry.id} filter={filter} />
          </code>
        </dd>
        <dt>Timestamp</dt>
        <dd>
          <code>{entry.timestamp}</code>
        </dd>
        <dt>Message</dt>
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
      <div className="head row">
        <h2 className="label">Metadata</h2>
        <CopyButton label="Copy as JSON" text={() => formatJson({ ...entry, metadata: entry.metadata as Json })} />
      </div>
      <MetadataTree value={entry.metadata as Json} />
    </div>
  );
}
