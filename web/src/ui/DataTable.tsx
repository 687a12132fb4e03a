import type { ReactNode } from 'react';

/** A column of a table. */
export interface TableColumn {
  name: string;
  numeric?: boolean;
}

interface DataTableProps {
  caption: string;
  columns: TableColumn[];
  rows: { key: string | number; cells: ReactNode[] }[];
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
              <th key={column.name} scope="col" className={column.numeric ? 'numeric' : undefined}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
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
