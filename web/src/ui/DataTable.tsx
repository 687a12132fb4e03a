import type { ReactNode } from 'react';

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
}

/** Rows that scroll within their own frame, by pointer and by keyboard. The first cell is the row header, and stays visible. */
export function DataTable({ caption, columns, rows }: DataTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll.
    <section className="table-frame frame" aria-label={caption} tabIndex={0}>
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
              {row.cells.map((cell, index) =>
                index === 0 ? (
                  <th key={columns[index]?.name} scope="row">
                    {cell}
                  </th>
                ) : (
                  <td key={columns[index]?.name} className={columns[index]?.numeric ? 'numeric' : undefined}>
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
