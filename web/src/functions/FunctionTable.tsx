import './functions.css';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import type { FunctionList, FunctionRow } from '../app/lists';
import { useLiking } from '../app/preferences';
import { type FunctionsState, write } from '../app/routes';
import type { Loading } from '../app/useResponse';
import { formatDate, formatSecond } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { csvOf } from '../ui/csv';
import { DataTable } from '../ui/DataTable';
import { formatCount } from '../ui/numbers';
import { Warning } from '../ui/states';
import { nextOrder, numberColumns, parseOrder, sorted } from './table';

interface FunctionTableProps {
  loading: Loading<FunctionList>;
  state: FunctionsState;
}

/** The functions of a project. It is the default export, because it is loaded after the chart. */
export default function FunctionTable({ loading, state }: FunctionTableProps) {
  const { data, failure } = loading;
  return (
    <section className="panel box functions">
      <div className="head row">
        <h2>Functions</h2>
        {state.functionId === '' ? null : (
          <Link className="button" href={write.functions({ ...state, functionId: '' })} toTop>
            Show all functions
          </Link>
        )}
      </div>
      {failure === null ? null : (
        <Warning title="The functions could not be listed.">{failure.details.message}</Warning>
      )}
      {data === null ? null : data.rows.length === 0 ? (
        <p className="muted">No function has invocations in this time range.</p>
      ) : (
        <Rows list={data} state={state} />
      )}
    </section>
  );
}

function Rows({ list, state }: { list: FunctionList; state: FunctionsState }) {
  const { address } = useServices();
  const { zone } = useLiking();
  const order = parseOrder(state.sort);
  const rows = sorted(list.rows, order);
  const headerOf = (name: string, slug: string) => ({
    name,
    onSort: () => address.replace(write.functions({ ...state, sort: nextOrder(order, slug) })),
    order: order.slug !== slug ? undefined : order.descending ? ('descending' as const) : ('ascending' as const),
  });
  const csv = (): string =>
    csvOf(
      ['Function', ...numberColumns.map(({ name }) => name), 'Last seen'],
      rows.map((row) => [row.functionId, ...numberColumns.map(({ value }) => value(row)), row.lastSeen]),
    );
  return (
    <>
      <DataTable
        caption="Functions with invocations in the time range"
        columns={[
          headerOf('Function', 'function'),
          ...numberColumns.map(({ name, slug }) => ({ ...headerOf(name, slug), numeric: true })),
          headerOf('Last seen', 'seen'),
        ]}
        rows={rows.map((row) => ({
          key: row.functionId ?? '',
          current: row.functionId === state.functionId,
          cells: [
            <FunctionLink key="function" row={row} state={state} />,
            ...numberColumns.map(({ slug, value, format }) => {
              const exact = value(row);
              return exact === null ? (
                '–'
              ) : (
                <data key={slug} value={exact} title={String(exact)}>
                  {format(exact, row)}
                </data>
              );
            }),
            <time key="seen" dateTime={row.lastSeen} title={row.lastSeen}>
              {formatDate(new Date(row.lastSeen), zone)}, {formatSecond(new Date(row.lastSeen), zone)}
            </time>,
          ],
        }))}
      />
      <div className="buttons row">
        <CopyButton label="Copy CSV" text={csv} />
        {list.truncated ? (
          <span className="muted small">
            Only the {formatCount(list.rows.length)} functions with the most invocations are listed.
          </span>
        ) : null}
      </div>
    </>
  );
}

/** Leads to the chart of a function. */
function FunctionLink({ row: { functionId }, state }: { row: FunctionRow; state: FunctionsState }) {
  if (functionId === null) return <em className="muted">without an id</em>;
  return (
    <Link
      className="mono truncate"
      title={functionId}
      href={write.functions({ ...state, functionId, view: 'chart' })}
      aria-current={functionId === state.functionId ? 'true' : undefined}
      toTop
    >
      {functionId}
    </Link>
  );
}
