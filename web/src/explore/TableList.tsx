import { lazy, Suspense, useState } from 'react';
import { formatBytes, formatCountOf } from '../ui/numbers';
import type { Dialect } from './dialect';
import { SearchField } from './SearchField';
import type { Members, Table } from './schema';
import { type FoundTable, searchTables } from './tableSearch';

const TablePreview = lazy(async () => ({ default: (await import('./TablePreview')).TablePreview }));

interface TableListProps {
  tables: readonly Table[];
  withheld: readonly string[];
  dialect: Dialect;
  onInsert: (text: string) => void;
}

/** The tables with their columns, and a filter. A click inserts a name. */
export function TableList({ tables, withheld, dialect, onInsert }: TableListProps) {
  const [search, setSearch] = useState('');
  const [previewed, setPreviewed] = useState<Table | null>(null);
  const found = searchTables(tables, search);
  return (
    <>
      <SearchField label="Filter tables and columns" value={search} onChange={setSearch} />
      <div className="explore-list">
        {found.map((one) => (
          <TableItem
            // Another filter opens and closes it anew.
            key={`${one.table.name} ${search === ''}`}
            found={one}
            dialect={dialect}
            open={search !== ''}
            onInsert={onInsert}
            onPreview={() => setPreviewed(one.table)}
          />
        ))}
      </div>
      {found.length === 0 ? <p className="muted small">No table or column matches.</p> : null}
      {withheld.length === 0 ? null : (
        <p className="muted small">The token may not read {withheld.join(', ')}: they have no column for its limits.</p>
      )}
      {previewed === null ? null : (
        <Suspense>
          <TablePreview table={previewed} dialect={dialect} onClose={() => setPreviewed(null)} />
        </Suspense>
      )}
    </>
  );
}

interface TableItemProps {
  found: FoundTable;
  dialect: Dialect;
  open: boolean;
  onInsert: (text: string) => void;
  onPreview: () => void;
}

function TableItem({ found, dialect, open, onInsert, onPreview }: TableItemProps) {
  const { table, columns, members } = found;
  return (
    <details className="explore-table" open={open}>
      <summary title={table.description}>
        <code className="wrap">{table.name}</code>
        {table.size === undefined ? null : (
          <span
            className="muted small explore-size"
            title={`${formatCountOf(table.size.rows, 'row', 'rows')} in files`}
          >
            {formatBytes(table.size.bytes)}
          </span>
        )}
      </summary>
      <p className="row">
        <button type="button" className="button" onClick={onPreview}>
          Rows and size
        </button>
        <button
          type="button"
          className="button"
          aria-label={`Insert ${table.name}`}
          onClick={() => onInsert(table.name)}
        >
          Insert
        </button>
      </p>
      <ul>
        {columns.map(({ name, type, description }) => (
          <li key={name}>
            <Name name={name} title={description} onInsert={onInsert} />
            <span className="muted small">{type}</span>
          </li>
        ))}
      </ul>
      {members === undefined ? null : <MemberList members={members} dialect={dialect} path={[]} />}
    </details>
  );
}

function Name({
  name,
  title,
  onInsert,
}: {
  name: string;
  title?: string | undefined;
  onInsert: (text: string) => void;
}) {
  return (
    <button type="button" className="explore-name" title={title ?? `Insert ${name}`} onClick={() => onInsert(name)}>
      <code>{name}</code>
    </button>
  );
}

/** The usual members of metadata, a line for each object. */
function MemberList({ members, dialect, path }: { members: Members; dialect: Dialect; path: readonly string[] }) {
  const leaves = Object.entries(members).filter(([, inner]) => Object.keys(inner).length === 0);
  const objects = Object.entries(members).filter(([, inner]) => Object.keys(inner).length > 0);
  return (
    <>
      {leaves.length === 0 ? null : (
        <p className="small wrap">
          <code className="muted">{dialect.members(path)}</code>: <code>{leaves.map(([name]) => name).join(', ')}</code>
        </p>
      )}
      {objects.map(([name, inner]) => (
        <MemberList key={name} members={inner} dialect={dialect} path={[...path, name]} />
      ))}
    </>
  );
}
