import { type KeyboardEvent, useRef, useState } from 'react';
import { move } from '../chart/keys';
import Tooltip, { type Reading } from '../chart/Tooltip';
import { toneStyle } from '../chart/tone';
import { type DrawnFrame, type DrawnSeries, floors, totals } from './style';

interface BarTableProps {
  caption: string;
  /** What the names are. */
  heading: string;
  names: readonly string[];
  frame: DrawnFrame;
}

/** The height of a bar, and the space below it, in pixels. */
const barHeight = 12;
const barGap = 4;

/**
 * Bars with their names and values, as a table, so that the values are read as text. The
 * pointer and the arrow keys show all values of a name.
 */
export function BarTable({ caption, heading, names, frame }: BarTableProps) {
  const { stacked, format, least, most } = frame;
  const [chosen, setCursor] = useState<number | null>(null);
  const table = useRef<HTMLTableElement>(null);
  const cursor = chosen === null || chosen >= names.length ? null : chosen;
  const series = frame.series.filter((one) => !one.hidden);
  const sums = totals(series);
  const lower = floors(series, stacked);
  const span = Math.max(most - least, Number.MIN_VALUE);
  const share = (value: number): number => (100 * (value - least)) / span;
  const press = (event: KeyboardEvent): void => {
    const next = move(event.key, cursor, names.length);
    if (next === undefined) return;
    event.preventDefault();
    setCursor(next);
    if (next !== null) table.current?.tBodies[0]?.rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  const readings = (index: number): Reading[] => {
    const each = series.map(({ name, tone, values }): Reading => {
      const value = values[index] ?? null;
      return { name, value: value === null ? '–' : format(value), tone, mark: 'column' };
    });
    return stacked && series.length > 1 ? [...each, { name: 'Total', value: format(sums[index] ?? 0) }] : each;
  };
  const barOf = ({ name, tone, values }: DrawnSeries, order: number, index: number) => {
    const value = values[index] ?? 0;
    const from = stacked ? (lower[order]?.[index] ?? 0) : 0;
    const [left, right] = [share(Math.min(from, from + value)), share(Math.max(from, from + value))];
    return (
      <rect
        key={name}
        className="chart-fill"
        style={toneStyle(tone)}
        data-series={name}
        x={`${left}%`}
        y={stacked ? 0 : order * (barHeight + barGap)}
        width={`${right - left}%`}
        height={barHeight}
        rx="2"
      />
    );
  };
  const lines = stacked ? 1 : Math.max(1, series.length);
  const row = cursor === null ? undefined : table.current?.tBodies[0]?.rows[cursor];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears keys of the table.
    <div className="bars" onPointerLeave={() => setCursor(null)} onBlur={() => setCursor(null)} onKeyDown={press}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through its rows. */}
      <table ref={table} className="medium" tabIndex={0} aria-label={`${caption}, as bars`}>
        <colgroup>
          <col className="bar-name" />
          <col />
          <col className="bar-value" />
        </colgroup>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{heading}</th>
            <th scope="col">Bar</th>
            <th scope="col">{series.map(({ name }) => name).join(', ')}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name, index) => (
            <tr
              // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat.
              key={index}
              className={index === cursor ? 'current' : undefined}
              onPointerMove={() => setCursor(index)}
            >
              <th scope="row" title={name}>
                {name === '' ? <em className="muted">empty string</em> : name}
              </th>
              <td>
                <svg width="100%" height={lines * (barHeight + barGap) - barGap} aria-hidden="true">
                  {series.map((one, order) => barOf(one, order, index))}
                </svg>
              </td>
              <td className="numeric small">
                {stacked && series.length > 1
                  ? format(sums[index] ?? 0)
                  : series.map((one) => <span key={one.name}>{textOf(one, index, format)}</span>)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="visually-hidden" role="status">
        {cursor === null
          ? ''
          : `${names[cursor]}: ${readings(cursor)
              .map(({ name, value }) => `${name} ${value}`)
              .join(', ')}`}
      </p>
      {cursor === null || row === undefined || series.length < 2 ? null : (
        <Tooltip
          x={0}
          width={row.clientWidth}
          top={row.offsetTop + row.clientHeight + 4}
          title={names[cursor] ?? ''}
          readings={readings(cursor)}
        />
      )}
    </div>
  );
}

function textOf({ values }: DrawnSeries, index: number, format: (value: number) => string): string {
  const value = values[index] ?? null;
  return value === null ? '–' : format(value);
}
