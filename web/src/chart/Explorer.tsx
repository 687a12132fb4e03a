import './chart.css';
import {
  type KeyboardEvent,
  lazy,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  Suspense,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Zone } from '../time/format';
import { formatBucket } from '../time/format';
import { bucketAt, middle, type Plot } from './geometry';
import { move } from './keys';
import type { Reading } from './Tooltip';
import { useWidth } from './useWidth';

const Tooltip = lazy(() => import('./Tooltip'));

interface ExplorerProps {
  label: string;
  starts: Date[];
  widthMs: number;
  zone: Zone;
  /** Selects buckets, from one to another, by a click, a drag, or Enter. */
  onSelect?: (from: number, to: number) => void;
  /** The tooltip of a bucket. */
  read: (index: number) => { note?: string; readings: Reading[] };
  /** Draws the charts, one above the other, with plots of a width. */
  children: (plot: (height: number) => Plot, cursor: number | null) => ReactNode;
}

/** Room for the labels of the value axis, in pixels. */
const axisWidth = 56;
const topRoom = 10;

/**
 * Charts that share a time axis, and a cursor that the pointer or the keyboard
 * moves from bucket to bucket. To assistive technology it is a slider, whose value
 * is what the charts show of a bucket, beside the charts, whose headings and
 * controls a slider around them would hide.
 */
export function Explorer({ label, starts, widthMs, zone, onSelect, read, children }: ExplorerProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const slider = useRef<HTMLDivElement>(null);
  const [chosen, setCursor] = useState<number | null>(null);
  // The other end of a selection that is being made.
  const [anchor, setAnchor] = useState<number | null>(null);
  const count = starts.length;
  const cursor = chosen === null || chosen >= count ? null : chosen;
  const plot = useMemo(() => plotsOf(width, count), [width, count]);
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const bucket = x < axisWidth - 8 || !isInPlot(event) ? null : bucketAt(plot(0), x);
    setCursor(bucket);
    if (event.type === 'pointerdown') setAnchor(bucket);
  };
  const selection = onSelect === undefined || cursor === null ? [] : [anchor ?? cursor, cursor].sort((a, b) => a - b);
  const [from, to] = selection;
  const select = (): void => {
    setAnchor(null);
    if (from !== undefined && to !== undefined) onSelect?.(from, to);
  };
  // Keys continue from the pointer.
  const takeFocus = (event: MouseEvent): void => {
    if (!isInPlot(event)) return;
    event.preventDefault();
    slider.current?.focus();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') select();
    const next = move(event.key, cursor, count);
    if (next === undefined) return;
    event.preventDefault();
    setAnchor(event.shiftKey ? (anchor ?? cursor) : null);
    setCursor(next);
  };
  const reading = cursor === null ? null : read(cursor);
  const described = (index: number): string => {
    const { note, readings } = read(index);
    const values = readings.map(({ name, value }) => `${name} ${value}`).join(', ');
    return `${bucketName(index)}: ${note === undefined ? '' : `${note}, `}${values}`;
  };
  const bucketName = (index: number): string => formatBucket(starts[index] ?? new Date(0), widthMs, zone);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the slider is the keyboard equivalent.
    <div
      ref={ref}
      className="explorer"
      onPointerMove={point}
      onPointerDown={point}
      onPointerUp={() => anchor !== null && select()}
      onPointerCancel={() => setAnchor(null)}
      onPointerLeave={(event) => {
        setAnchor(null);
        if (event.pointerType === 'mouse') setCursor(null);
      }}
      onMouseDown={takeFocus}
    >
      <div
        ref={slider}
        className="explorer-slider"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(cursor ?? count - 1) + 1}
        aria-valuetext={described(cursor ?? count - 1)}
        onKeyDown={press}
        onBlur={() => {
          setCursor(null);
          setAnchor(null);
        }}
      />
      {from === undefined || to === undefined || from === to ? null : (
        <div className="explorer-selection" style={selectionPlace(plot(0), from, to)} />
      )}
      {width === 0 ? null : children(plot, cursor)}
      {cursor === null || reading === null ? null : (
        <Suspense>
          <Tooltip x={middle(plot(0), cursor)} width={width} title={bucketName(cursor)} {...reading} />
        </Suspense>
      )}
    </div>
  );
}

/** Plots by their heights: always the same one, so that what it has is drawn once while the cursor moves. */
function plotsOf(width: number, count: number): (height: number) => Plot {
  const plots = new Map<number, Plot>();
  return (height) => {
    const plot = plots.get(height) ?? {
      left: axisWidth,
      top: topRoom,
      width: Math.max(1, width - axisWidth - 2),
      height,
      count,
    };
    plots.set(height, plot);
    return plot;
  };
}

/** Reports whether an event is over a plot. */
function isInPlot(event: MouseEvent): boolean {
  return event.target instanceof Element && event.target.closest('.chart') !== null;
}

/** Around the selected buckets. */
function selectionPlace({ left, width, count }: Plot, from: number, to: number): { left: number; width: number } {
  return { left: left + (from * width) / count, width: ((to - from + 1) * width) / count };
}
