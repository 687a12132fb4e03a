import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { Json } from '../api/json';
import { formatFull, type Zone } from '../time/format';
import { formatMilliseconds } from '../ui/numbers';
import { columnOf, gradeOf, type Line, lineOf, statusTone } from './entry';
import { excerpt, type Filter, shownTexts, targetOf } from './filter';
import type { LogEntry } from './loaded';
import { Marked } from './Marked';

interface LogListProps {
  entries: LogEntry[];
  filter: Filter;
  zone: Zone;
  /** The members of the metadata that have columns. */
  columns: readonly string[];
  /** The id of the open entry; empty for none. */
  open: string;
  /** Whether the entries are those that the address asks for, and not earlier ones. */
  settled: boolean;
  /** Opens an entry; an empty id closes it. */
  onOpen: (id: string) => void;
  /** Called when the last entries come into view. */
  onEnd?: () => void;
  /** Called with whether the newest entries are in view. */
  onTop?: (atTop: boolean) => void;
  /** What is below the last entry. */
  end?: ReactNode;
}

/** How high a row is before it has been measured, in pixels: one line, or two in a narrow window. */
const rowHeight = 20;
const narrowRowHeight = 47;
const narrow = '(max-width: 720px)';
/** How many rows above and below are drawn, too. */
const overscan = 12;
/** How many entries from the last one on older ones are loaded. */
const nearEnd = 30;

/** How far each key moves the focus, in rows. */
const steps: { [key: string]: number } = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -20,
  PageDown: 20,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/**
 * The entries, newest first, of which only those in view are drawn. One row is reached by Tab,
 * and the others by the arrow keys, which the open entry follows.
 */
export function LogList({ entries, filter, zone, columns, open, settled, onOpen, onEnd, onTop, end }: LogListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const [moved, setMoved] = useState(false);
  const last = entries.length - 1;
  const estimate = window.matchMedia(narrow).matches ? narrowRowHeight : rowHeight;
  // The virtualizer measures all rows again for another function.
  const keyOf = useCallback((index: number) => entries[index]?.id ?? index, [entries]);
  const list = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => estimate,
    getItemKey: keyOf,
    overscan,
    // The row that Tab leads to is always there.
    rangeExtractor: (range) => {
      const indices = defaultRangeExtractor(range);
      const own = Math.min(current, last);
      return own < 0 || indices.includes(own) ? indices : [...indices, own].sort((a, b) => a - b);
    },
  });
  const items = list.getVirtualItems();
  const lastDrawn = list.range?.endIndex ?? 0;
  useEffect(() => {
    if (lastDrawn >= last - nearEnd && last >= 0) onEnd?.();
  }, [lastDrawn, last, onEnd]);
  useEffect(() => {
    if (!moved) return;
    list.scrollToIndex(current, { align: 'auto' });
    scroller.current?.querySelector<HTMLElement>(`[data-index="${current}"] .log-row`)?.focus({ preventScroll: true });
    setMoved(false);
  }, [moved, current, list]);
  // An entry that a link names comes into view, once.
  const placed = useRef('');
  useEffect(() => {
    if (!settled) placed.current = '';
    const index = settled && open !== '' && placed.current !== open ? entries.findIndex(({ id }) => id === open) : -1;
    if (index < 0) return;
    placed.current = open;
    setCurrent(index);
    list.scrollToIndex(index, { align: 'auto' });
  }, [entries, list, open, settled]);
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const step = steps[event.key];
    if (row === null || step === undefined || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, Number(row.dataset.index) + step));
    setCurrent(next);
    setMoved(true);
    const id = entries[next]?.id;
    if (open !== '' && id !== undefined) onOpen(id);
  };
  return (
    <div ref={scroller} className="log-scroll" onScroll={(event) => onTop?.(event.currentTarget.scrollTop < rowHeight)}>
      <ol id="log-list" className="log-list" style={{ height: list.getTotalSize() }} onKeyDown={press}>
        {items.map(({ key, index, start }) => {
          const entry = entries[index];
          return entry === undefined ? null : (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              aria-setsize={entries.length}
              aria-posinset={index + 1}
              className={entry.id === open ? 'current' : undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row
                entry={entry}
                filter={filter}
                zone={zone}
                columns={columns}
                open={entry.id === open}
                reachable={index === Math.min(current, last)}
                onClick={() => {
                  setCurrent(index);
                  placed.current = entry.id;
                  onOpen(entry.id === open ? '' : entry.id);
                }}
              />
            </li>
          );
        })}
      </ol>
      {end}
    </div>
  );
}

interface RowProps {
  entry: LogEntry;
  filter: Filter;
  zone: Zone;
  columns: readonly string[];
  open: boolean;
  /** Whether Tab leads to it. */
  reachable: boolean;
  onClick: () => void;
}

function isSameRow(before: RowProps, after: RowProps): boolean {
  const same = (['entry', 'filter', 'zone', 'open', 'reachable'] as const).every(
    (name) => before[name] === after[name],
  );
  return same && before.columns.join() === after.columns.join();
}

const Row = memo(function Row({ entry, filter, zone, columns, open, reachable, onClick }: RowProps) {
  const line = lineOf(entry);
  return (
    <button
      type="button"
      className={`log-row ${gradeOf(line)}`}
      tabIndex={reachable ? 0 : -1}
      aria-expanded={open}
      aria-controls={open ? 'log-entry' : undefined}
      onClick={onClick}
    >
      <time className="muted" dateTime={entry.timestamp} title={entry.timestamp}>
        {formatFull(new Date(entry.timestamp), zone)}
      </time>
      {entry.source === undefined ? null : <span className="log-source muted truncate">{entry.source}</span>}
      <State line={line} filter={filter} />
      {columns.map((name) => {
        const text = columnOf(entry.metadata as Json, name);
        return (
          <span key={name} className="log-column mono truncate" title={text}>
            {text}
          </span>
        );
      })}
      <span className="log-target mono truncate">
        {line.method === '' ? null : (
          <strong className="log-method">
            <Marked text={line.method} filter={filter} />{' '}
          </strong>
        )}
        <Marked text={targetOf(entry, line)} filter={filter} />
        <HiddenMatch entry={entry} line={line} filter={filter} />
      </span>
      {line.duration === null ? null : (
        <span className="log-duration numeric muted">{formatMilliseconds(line.duration)}</span>
      )}
    </button>
  );
}, isSameRow);

/** The status of an entry, or else its level. The place of one that has neither stays, so that all texts begin in one line. */
function State({ line, filter }: { line: Line; filter: Filter }) {
  const { status, level } = line;
  if (status === null && level === '') return <span className="log-state" />;
  return (
    <span className="log-state">
      <span className={`badge truncate ${status === null ? gradeOf(line) : statusTone(status)}`}>
        {status === null ? level.toLowerCase() : <Marked text={String(status)} filter={filter} />}
      </span>
    </span>
  );
}

/** The match of an entry, if the rest of its row does not show it. */
function HiddenMatch({ entry, line, filter }: { entry: LogEntry; line: Line; filter: Filter }) {
  if (filter.isEmpty || filter.matches(shownTexts(entry, line))) return null;
  const message = excerpt(entry.eventMessage ?? '', filter);
  return (
    <span className="log-match muted">
      {' · '}
      <Marked text={message ?? entry.eventId ?? entry.id} filter={filter} />
    </span>
  );
}
