import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { LogsState } from '../app/routes';
import { formatFull, type Zone } from '../time/format';
import { ChevronIcon } from '../ui/icons';
import { formatMilliseconds } from '../ui/numbers';
import { gradeOf, type Line, lineOf, statusTone } from './entry';
import { excerpt, Filter, shownTexts, targetOf } from './filter';
import { LogDetails } from './LogDetails';
import type { LogEntry } from './loaded';
import { Marked } from './Marked';
import { parseQuery, type Term, wordsOf } from './query';

interface LogListProps {
  entries: LogEntry[];
  state: LogsState;
  zone: Zone;
  onToggle: (term: Term) => void;
  /** Called when the last entries come into view. */
  onEnd?: () => void;
  /** Called with whether the newest entries are in view. */
  onTop?: (atTop: boolean) => void;
  /** What is below the last entry. */
  end?: ReactNode;
}

/** How high a row is before it has been measured, in pixels: one line, or two in a narrow window. */
const rowHeight = 24;
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
 * and the others by the arrow keys.
 */
export function LogList({ entries, state, zone, onToggle, onEnd, onTop, end }: LogListProps) {
  const words = wordsOf(parseQuery(state.query).terms);
  const filter = useMemo(() => new Filter(words), [words]);
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([state.entry]));
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
  // An entry that a link names comes into view.
  const named = useRef(state.entry);
  useEffect(() => {
    const index = named.current === '' ? -1 : entries.findIndex(({ id }) => id === named.current);
    if (index >= 0) {
      named.current = '';
      setCurrent(index);
      list.scrollToIndex(index, { align: 'center' });
    }
  }, [entries, list]);
  const toggle = (id: string): void =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const index = Number(row?.dataset.index);
    const id = entries[index]?.id;
    if (row === null || id === undefined) return;
    if (event.key === 'Escape' && open.has(id)) {
      toggle(id);
      row.querySelector<HTMLElement>('.log-row')?.focus(); // The focus may have been in the details.
    }
    const step = steps[event.key];
    if (step === undefined || !(event.target as HTMLElement).matches('.log-row') || event.altKey) return;
    event.preventDefault();
    setCurrent(Math.max(0, Math.min(last, index + step)));
    setMoved(true);
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
              className={entry.id === state.entry ? 'current' : undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row
                entry={entry}
                filter={filter}
                zone={zone}
                state={state}
                open={open.has(entry.id)}
                reachable={index === Math.min(current, last)}
                onClick={() => {
                  setCurrent(index);
                  toggle(entry.id);
                }}
                onToggle={onToggle}
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
  state: LogsState;
  open: boolean;
  /** Whether Tab leads to it. */
  reachable: boolean;
  onClick: () => void;
  onToggle: (term: Term) => void;
}

function isSameRow(before: RowProps, after: RowProps): boolean {
  return (['entry', 'filter', 'zone', 'state', 'open', 'reachable'] as const).every(
    (name) => before[name] === after[name],
  );
}

const Row = memo(function Row({ entry, filter, zone, state, open, reachable, onClick, onToggle }: RowProps) {
  const id = useId();
  const line = lineOf(entry);
  return (
    <>
      <button
        type="button"
        className={`log-row ${gradeOf(line)}`}
        tabIndex={reachable ? 0 : -1}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onClick}
      >
        <ChevronIcon />
        <time className="muted" dateTime={entry.timestamp} title={entry.timestamp}>
          {formatFull(new Date(entry.timestamp), zone)}
        </time>
        {entry.source === undefined ? null : <span className="log-source muted truncate">{entry.source}</span>}
        <State line={line} filter={filter} />
        {line.method === '' ? null : (
          <strong className="log-method">
            <Marked text={line.method} filter={filter} />
          </strong>
        )}
        <span className="log-target mono truncate">
          <Marked text={targetOf(entry, line)} filter={filter} />
          <HiddenMatch entry={entry} line={line} filter={filter} />
        </span>
        {line.duration === null ? null : (
          <span className="log-duration numeric muted">{formatMilliseconds(line.duration)}</span>
        )}
      </button>
      {open ? <LogDetails id={id} entry={entry} line={line} filter={filter} state={state} onToggle={onToggle} /> : null}
    </>
  );
}, isSameRow);

/** The status of an entry, or else its level. */
function State({ line, filter }: { line: Line; filter: Filter }) {
  const { status, level } = line;
  if (status === null && level === '') return null;
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
