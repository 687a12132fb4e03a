import type { Json } from '../api/json';
import { DataTable } from '../ui/DataTable';
import type { Endpoint } from './rest';
import { isNumeric } from './types';
import { Value } from './Value';

/** Rows as a table, with a column for each column of the saved query. */
export function RowTable({ endpoint, rows }: { endpoint: Endpoint; rows: readonly { [column: string]: Json }[] }) {
  return (
    <DataTable
      caption={`Rows of ${endpoint.name}`}
      columns={endpoint.columns.map(({ name, type }) => ({ name, numeric: isNumeric(type) }))}
      rows={rows.map((row, index) => ({
        key: index,
        cells: endpoint.columns.map((column) => (
          <Value key={column.name} value={row[column.name] ?? null} type={column.type} column={column} />
        )),
      }))}
    />
  );
}
