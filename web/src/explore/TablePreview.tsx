import '../ui/dialog.css';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Failure, isAbort, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { shortened } from '../result/format';
import type { RowOrder } from '../result/order';
import { ResultTable } from '../result/ResultTable';
import type { Rows } from '../result/rows';
import { formatCountOf } from '../ui/numbers';
import { Skeleton } from '../ui/states';
import { clickHouse, type Dialect, googleSQL } from './dialect';
import { run } from './run';
import type { Table } from './schema';

/** How many rows are shown. */
const sample = 10;

interface Preview {
  rows: Rows;
  size: Rows;
}

/** Some rows of a table, how many it has, and from when they are. They are requested when it is shown. */
export function TablePreview({ table, dialect, onClose }: { table: Table; dialect: Dialect; onClose: () => void }) {
  const { client } = useServices();
  const dialog = useRef<HTMLDialogElement>(null);
  const [preview, setPreview] = useState<Preview | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [order, setOrder] = useState<RowOrder>(null);
  useLayoutEffect(() => {
    const opened = dialog.current;
    opened?.showModal();
    // Closing it returns the focus.
    return () => opened?.close();
  }, []);
  useEffect(() => {
    const controller = new AbortController();
    // DuckDB's SQL has the tables of GoogleSQL.
    const over = dialect === clickHouse ? clickHouse : googleSQL;
    const ask = (sql: string): Promise<Rows> => run(client, { dialect: over, sql, args: {} }, controller.signal);
    Promise.all([ask(`SELECT * FROM \`${table.name}\` LIMIT ${sample}`), ask(sizeOf(table))]).then(
      ([rows, size]) => setPreview({ rows, size }),
      (thrown: unknown) => {
        if (!isAbort(thrown)) setFailure(toFailure(thrown));
      },
    );
    return () => controller.abort();
  }, [client, table, dialect]);
  return (
    <dialog ref={dialog} className="dialog dialog-wide box" aria-labelledby="preview-title" onClose={onClose}>
      <div className="sections">
        <header className="stack">
          <h2 id="preview-title">
            <code>{table.name}</code>
          </h2>
          <p className="muted medium">{table.description}</p>
        </header>
        {failure !== null ? (
          <p className="field-problem wrap" role="alert">
            {failure.details.message}
          </p>
        ) : preview === null ? (
          <Skeleton label="Loading the rows" height="snippet" />
        ) : (
          <>
            <Size size={preview.size} />
            <ResultTable
              caption={`Some rows of ${table.name}`}
              columns={preview.rows.columns}
              rows={preview.rows.rows}
              now={new Date()}
              options={{ wrap: false, exact: false }}
              order={order}
              onOrder={setOrder}
            />
          </>
        )}
        <form method="dialog" className="row">
          <button type="submit" className="button button-main">
            Close
          </button>
        </form>
      </div>
    </dialog>
  );
}

function Size({ size }: { size: Rows }) {
  const { zone } = useLiking();
  const [row = {}] = size.rows;
  const count = Number(row.n ?? 0);
  const now = new Date();
  const [first, last] = ['first', 'last'].map(
    (name) => shortened(row[name] ?? null, typeIn(size, name), zone, now, { decimals: 0 })?.short,
  );
  return (
    <p className="medium" role="status">
      <strong>{formatCountOf(count, 'row', 'rows')}</strong>
      {first === undefined || last === undefined ? null : ` from ${first} to ${last}`}
    </p>
  );
}

function typeIn({ columns }: Rows, name: string): string {
  return columns.find((column) => column.name === name)?.type ?? 'TIMESTAMP';
}

/** SQL that counts the rows of a table, and finds its first and its last time if it has times. */
function sizeOf({ name, columns }: Table): string {
  const time = columns.find(({ name, type }) => name === 'timestamp' && /^(TIMESTAMP|DateTime)/.test(type));
  const range = time === undefined ? '' : ', MIN(timestamp) AS first, MAX(timestamp) AS last';
  return `SELECT COUNT(*) AS n${range} FROM \`${name}\``;
}
