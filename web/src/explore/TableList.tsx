import type { Members, Table } from './schema';

interface TableListProps {
  tables: readonly Table[];
  withheld: readonly string[];
  onInsert: (text: string) => void;
}

/** The tables with their columns. A click inserts a name. */
export function TableList({ tables, withheld, onInsert }: TableListProps) {
  return (
    <section className="panel box explore-tables stack" aria-labelledby="tables-title">
      <h2 id="tables-title">Tables</h2>
      <div className="explore-table-list">
        {tables.map((table) => (
          <details key={table.name}>
            <summary title={table.description}>
              <code className="wrap">{table.name}</code>
            </summary>
            <ul>
              {table.columns.map(({ name, type, description }) => (
                <li key={name}>
                  <Name name={name} title={description} onInsert={onInsert} />
                  <span className="muted small">{type}</span>
                </li>
              ))}
            </ul>
            {table.members === undefined ? null : <MemberList members={table.members} path="metadata" />}
          </details>
        ))}
      </div>
      {withheld.length === 0 ? null : (
        <p className="muted small">The token may not read {withheld.join(', ')}: they have no column for its limits.</p>
      )}
    </section>
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
function MemberList({ members, path }: { members: Members; path: string }) {
  const leaves = Object.entries(members).filter(([, inner]) => Object.keys(inner).length === 0);
  const objects = Object.entries(members).filter(([, inner]) => Object.keys(inner).length > 0);
  return (
    <>
      {leaves.length === 0 ? null : (
        <p className="small wrap">
          <code className="muted">{path}</code>: <code>{leaves.map(([name]) => name).join(', ')}</code>
        </p>
      )}
      {objects.map(([name, inner]) => (
        <MemberList key={name} members={inner} path={`${path}.${name}`} />
      ))}
    </>
  );
}
