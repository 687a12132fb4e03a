import { DataTable } from '../ui/DataTable';
import type { Column, Endpoint } from './rest';

/** The columns of the rows, with the fields of structs below their column. */
export function ColumnTable({ endpoint }: { endpoint: Endpoint }) {
  return (
    <DataTable
      caption={`Columns of ${endpoint.name}`}
      columns={[{ name: 'Name' }, { name: 'Type' }, { name: 'Nullable' }]}
      rows={withFields(endpoint.columns, []).map(({ path, column }) => ({
        key: path.join('.'),
        cells: [
          <div key="name" style={{ paddingLeft: (path.length - 1) * indent }}>
            <code>{path.length === 1 ? column.name : `.${column.name}`}</code>{' '}
            {column.deprecated === null ? null : <span className="badge warning">deprecated</span>}
            <p className="muted">{column.description}</p>
            {column.deprecated === null ? null : <p className="deprecation">Deprecated: {column.deprecated}</p>}
          </div>,
          column.type,
          column.nullable ? 'yes' : 'no',
        ],
      }))}
    />
  );
}

/** How far each level is indented, in pixels. */
const indent = 18;

/** The columns and all fields in them, in order, with their paths. */
function withFields(columns: readonly Column[], above: readonly string[]): { path: string[]; column: Column }[] {
  return columns.flatMap((column) => {
    const path = [...above, column.name];
    return [{ path, column }, ...withFields(column.fields ?? [], path)];
  });
}
