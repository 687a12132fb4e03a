import './result.css';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ClipboardEvent, memo, type Ref, useCallback, useMemo, useRef, useState } from 'react';
import { useLiking } from '../app/preferences';
import type { Zone } from '../time/format';
import { ScrollFrame } from '../ui/ScrollFrame';
import { exactSelection } from './copy';
import { decimalsOf, type Look } from './format';
import { HeaderCell } from './HeaderCell';
import { nextOrder, type RowOrder } from './order';
import { describeRole, type Roles, roleOf } from './roles';
import type { TableOptions } from './TableOptions';
import type { Totals } from './totals';
import { isNumeric, type ResultColumn, type Row } from './types';
import { useArranged, useTotals } from './useArranged';
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
  /** Only rows that match it are shown; empty for all. */
  filter?: string;
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
export function ResultTable({ caption, columns, rows, now, options, order, onOrder, filter = '' }: ResultTableProps) {
  const { zone } = useLiking();
  const { wrap, exact, relative = false, roles = noRoles } = options;
  const looks = useMemo(
    () => columns.map((column) => lookOf(column, rows, roles, relative)),
    [columns, rows, roles, relative],
  );
  const guessed = useMemo(
    () => widthsOf(columns, rows, zone, now, exact, looks),
    [columns, rows, zone, now, exact, looks],
  );
  const [resized, setResized] = useState<{ [column: string]: number }>({});
  const widths = columns.map(({ name }, index) => resized[name] ?? guessed[index] ?? rowHeight);
  const classes = ['result-table', wrap ? 'wrapped' : '', (widths[0] ?? 0) > widestFixed ? 'wide-first' : ''];
  const { indexes, busy } = useArranged(rows, columns, filter, order);
  const totals = useTotals(options.totals ?? false, rows, indexes, columns, roles);
  const frame = useRef<HTMLElement>(null);
  // The virtualizer measures all rows again for another function.
  const keyOf = useCallback((position: number) => indexes[position] ?? position, [indexes]);
  const virtual = useVirtualizer({
    count: indexes.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: indexes.length <= mostDrawn ? mostDrawn : overscan,
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
  if (indexes.length === 0 && filter !== '') return <p className="muted">No row matches the filter.</p>;
  return (
    <ScrollFrame ref={frame} label={caption} onCopy={copy}>
      <table
        className={classes.filter((name) => name !== '').join(' ')}
        style={{ width: widths.reduce((sum, width) => sum + width, 0) }}
        aria-rowcount={indexes.length + 1}
        aria-busy={busy}
      >
        <caption className="visually-hidden">{caption}</caption>
        <colgroup>
          {columns.map(({ name }, index) => (
            <col key={name} style={{ width: widths[index] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, type, ...column }, index) => (
              <HeaderCell
                key={name}
                name={name}
                type={type}
                role={describeRole(roleOf({ name, type, ...column }, roles))}
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
              {...{ columns, exact, zone, now, looks }}
            />
          ))}
          {below > 0 ? <tr className="spacer" style={{ height: below }} /> : null}
        </tbody>
        {totals === null ? null : <TotalRow {...{ totals, columns, exact, zone, now, looks }} />}
      </table>
    </ScrollFrame>
  );
}

const noRow: Row = {};
const noRoles: Roles = {};

function lookOf(column: ResultColumn, rows: readonly Row[], roles: Roles, relative: boolean): Look {
  return { role: roleOf(column, roles).role, decimals: decimalsOf(rows, column), relative };
}

type TotalRowProps = Omit<ResultRowProps, 'ref' | 'position' | 'row'> & { totals: Totals };

/** The sums of columns, below the rows. */
function TotalRow({ totals, columns, exact, zone, now, looks }: TotalRowProps) {
  return (
    <tfoot>
      <tr>
        {columns.map((column, index) => {
          const total = totals[column.name] ?? null;
          const Cell = index === 0 ? 'th' : 'td';
          return (
            <Cell
              key={column.name}
              scope={index === 0 ? 'row' : undefined}
              className={isNumeric(column.type) ? 'numeric' : undefined}
            >
              {total !== null ? (
                <Value value={total} type={column.type} look={looks[index]} {...{ column, exact, zone, now }} />
              ) : index === 0 ? (
                'Total'
              ) : null}
            </Cell>
          );
        })}
      </tr>
    </tfoot>
  );
}

interface ResultRowProps {
  ref: Ref<HTMLTableRowElement>;
  /** Where the row is among all of them. */
  position: number;
  row: Row;
  columns: readonly ResultColumn[];
  exact: boolean;
  zone: Zone;
  now: Date;
  looks: readonly Look[];
}

/** A row, which is drawn once while the table scrolls. */
const ResultRow = memo(({ ref, position, row, columns, exact, zone, now, looks }: ResultRowProps) => (
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
            look={looks[index]}
            {...{ column, exact, zone, now }}
          />
        </Cell>
      );
    })}
  </tr>
));
