import './functions.css';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import type { FunctionList, FunctionRow } from '../app/lists';
import { useLiking } from '../app/preferences';
import { type FunctionsState, write } from '../app/routes';
import type { Loading } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { useLogsAddress } from '../series/drill';
import { formatDate, formatSecond } from '../time/format';
import { second } from '../time/units';
import { CopyButton } from '../ui/CopyButton';
import { csvOf } from '../ui/csv';
import { DataTable } from '../ui/DataTable';
import { formatCount } from '../ui/numbers';
import { Warning } from '../ui/states';
import { useFunctionNames } from './names';
import { invocationsOf } from './series';
import { nextOrder, numberColumns, parseOrder, sorted } from './table';

interface FunctionTableProps {
  loading: Loading<FunctionList>;
  state: FunctionsState;
  /** The first bucket that the functions are of. */
  since: string | undefined;
}

/** The functions of a project. It is the default export, because it is loaded after the chart. */
export default function FunctionTable({ loading, state, since }: FunctionTableProps) {
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
      {data === null ? null : <Rows list={data} state={state} since={since} />}
    </section>
  );
}

function Rows({ list, state, since }: { list: FunctionList; state: FunctionsState; since: string | undefined }) {
  const { address } = useServices();
  const { zone } = useLiking();
  const names = useFunctionNames(state.project);
  const logsOf = useLogsAddress();
  const searches = mayRun(useViewer(), 'logs.search');
  const failuresOf = ({ functionId, lastSeen }: FunctionRow): string =>
    logsOf(
      state.project,
      Date.parse(since ?? lastSeen),
      Math.ceil((Date.parse(lastSeen) + 1) / second) * second,
      `${invocationsOf(functionId)} status:4xx status:5xx`,
    );
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
            <FunctionLink key="function" row={row} name={names.get(row.functionId ?? '')} state={state} />,
            ...numberColumns.map(({ slug, value, format }) => {
              const exact = value(row);
              return exact === null ? (
                '–'
              ) : (
                <data key={slug} value={exact} title={String(exact)}>
                  {slug === 'errors' && exact > 0 && searches ? (
                    <Link href={failuresOf(row)} title="Show the failing invocations" toTop>
                      {format(exact, row)}
                    </Link>
                  ) : (
                    format(exact, row)
                  )}
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
function FunctionLink(props: { row: FunctionRow; name: string | undefined; state: FunctionsState }) {
  const { row, name, state } = props;
  const { functionId } = row;
  if (functionId === null) return <em className="muted">without an id</em>;
  return (
    <Link
      className="truncate"
      title={functionId}
      href={write.functions({ ...state, functionId, view: 'chart' })}
      aria-current={functionId === state.functionId ? 'true' : undefined}
      toTop
    >
      {name === undefined ? null : <>{name} </>}
      <span className={name === undefined ? 'mono' : 'mono muted small'}>{functionId}</span>
    </Link>
  );
}
