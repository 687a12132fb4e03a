import './result.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ClipboardEvent, memo, type Ref, useCallback, useMemo, useRef, useState } from 'react';
import { useLiking } from '../app/preferences';
import type { Zone } from '../time/format';
import { ScrollFrame } from '../ui/ScrollFrame';
import { exactSelection } from './copy';
import { decimalsOf } from './format';
import { HeaderCell } from './HeaderCell';
import { nextOrder, type RowOrder, sortedIndexes } from './order';
import type { TableOptions } from './TableOptions';
import { isNumeric, type ResultColumn, type Row } from './types';
import { Value } from './Value';
import { widthsOf } from './widths';

interface ResultTableProps {
  caption: string;
  columns: readonly ResultColumn[];
  rows: readonly Row[];
  /** When the rows were received. */
  now: Date;
  options: TableOptions;
  order: RowOrder;
  onOrder: (order: RowOrder) => void;
}

/** The height of a row without line breaks, in pixels. */
const rowHeight = 30;
/** Up to this many rows, all are in the document, where the browser can search and print them. */
const mostDrawn = 200;
/** A first column that is wider does not stay in view on a phone, where it leaves no room for others. */
const widestFixed = 180;
/** How many rows are drawn outside of what is visible. */
const overscan = 12;

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);

/** Rows as a table with sortable, resizable columns. Of many rows, only those in view are drawn. */
export function ResultTable({ caption, columns, rows, now, options, order, onOrder }: ResultTableProps) {
  const { zone } = useLiking();
  const { wrap, exact } = options;
  const decimals = useMemo(() => columns.map((column) => decimalsOf(rows, column)), [columns, rows]);
  const guessed = useMemo(
    () => widthsOf(columns, rows, zone, now, exact, decimals),
    [columns, rows, zone, now, exact, decimals],
  );
  const [resized, setResized] = useState<{ [column: string]: number }>({});
  const widths = columns.map(({ name }, index) => resized[name] ?? guessed[index] ?? rowHeight);
  const classes = ['result-table', wrap ? 'wrapped' : '', (widths[0] ?? 0) > widestFixed ? 'wide-first' : ''];
  // Another object can be the same order.
  const { column = null, descending = false } = order ?? {};
  const indexes = useMemo(
    () => sortedIndexes(rows, column === null ? null : { column, descending }),
    [rows, column, descending],
  );
  const frame = useRef<HTMLElement>(null);
  // The virtualizer measures all rows again for another function.
  const keyOf = useCallback((position: number) => indexes[position] ?? position, [indexes]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: rows.length <= mostDrawn ? mostDrawn : overscan,
  });
  const drawn = virtual.getVirtualItems();
  const above = drawn[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0);
  const copy = (event: ClipboardEvent): void => {
    const text = exactSelection(getSelection());
    if (text === null) return;
    event.clipboardData.setData('text/plain', text);
    event.preventDefault();
  };
  return (
    <ScrollFrame ref={frame} label={caption} onCopy={copy}>
      <table
        className={classes.filter((name) => name !== '').join(' ')}
        style={{ width: widths.reduce((sum, width) => sum + width, 0) }}
        aria-rowcount={rows.length + 1}
      >
        <caption className="visually-hidden">{caption}</caption>
        <colgroup>
          {columns.map(({ name }, index) => (
            <col key={name} style={{ width: widths[index] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, type }, index) => (
              <HeaderCell
                key={name}
                name={name}
                type={type}
                numeric={isNumeric(type)}
                order={order?.column === name ? order : null}
                width={widths[index] ?? rowHeight}
                onSort={() => onOrder(nextOrder(order, name, isNumeric(type) || timeTypes.has(type)))}
                onResize={(width) => setResized((earlier) => ({ ...earlier, [name]: width }))}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 ? <tr className="spacer" style={{ height: above }} /> : null}
          {drawn.map(({ index: position, key }) => (
            <ResultRow
              key={key}
              ref={virtual.measureElement}
              position={position}
              row={rows[indexes[position] ?? position] ?? noRow}
              {...{ columns, exact, zone, now, decimals }}
            />
          ))}
          {below > 0 ? <tr className="spacer" style={{ height: below }} /> : null}
        </tbody>
      </table>
    </ScrollFrame>
  );
}

const noRow: Row = {};

interface ResultRowProps {
  ref: Ref<HTMLTableRowElement>;
  /** Where the row is among all of them. */
  position: number;
  row: Row;
  columns: readonly ResultColumn[];
  exact: boolean;
  zone: Zone;
  now: Date;
  decimals: readonly number[];
}

/** A row, which is drawn once while the table scrolls. */
const ResultRow = memo(({ ref, position, row, columns, exact, zone, now, decimals }: ResultRowProps) => (
  <tr ref={ref} data-index={position} aria-rowindex={position + 2}>
    {columns.map((column, index) => {
      const Cell = index === 0 ? 'th' : 'td';
      return (
        <Cell
          key={column.name}
          scope={index === 0 ? 'row' : undefined}
          className={isNumeric(column.type) ? 'numeric' : undefined}
        >
          <Value
            value={row[column.name] ?? null}
            type={column.type}
            decimals={decimals[index]}
            {...{ column, exact, zone, now }}
          />
        </Cell>
      );
    })}
  </tr>
));
