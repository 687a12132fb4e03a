import type { ReactNode } from 'react';
import { ScrollFrame } from './ScrollFrame';

/** A column of a table. */
export interface TableColumn {
  name: string;
  numeric?: boolean;
  /** Makes the header a button that sorts the rows. */
  onSort?: () => void;
  /** The order, if the rows are sorted by this column. */
  order?: 'ascending' | 'descending' | undefined;
}

interface DataTableProps {
  caption: string;
  columns: TableColumn[];
  rows: { key: string | number; cells: ReactNode[]; current?: boolean }[];
  /** A row below the others that stays visible. */
  total?: ReactNode[];
}

/** Rows in a frame of their own. The first cell is the row header, and stays visible. */
export function DataTable({ caption, columns, rows, total }: DataTableProps) {
  const cellOf = (cell: ReactNode, index: number): ReactNode =>
    index === 0 ? (
      <th key={columns[index]?.name} scope="row">
        {cell}
      </th>
    ) : (
      <td key={columns[index]?.name} className={columns[index]?.numeric ? 'numeric' : undefined}>
        {cell}
      </td>
    );
  return (
    <ScrollFrame label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={column.numeric ? 'numeric' : undefined}
                aria-sort={column.order}
              >
                {column.onSort === undefined ? (
                  column.name
                ) : (
                  <button type="button" className="sort" onClick={column.onSort}>
                    {column.name}
                  </button>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className={row.current ? 'current' : undefined}>
              {row.cells.map(cellOf)}
            </tr>
          ))}
        </tbody>
        {total === undefined ? null : (
          <tfoot>
            <tr>{total.map(cellOf)}</tr>
          </tfoot>
        )}
      </table>
    </ScrollFrame>
  );
}
