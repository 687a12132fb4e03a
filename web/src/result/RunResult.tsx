import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { views } from '../app/routes';
import type { Look } from '../endpoints/address';
import { CopyButton } from '../ui/CopyButton';
import { formatCount } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Skeleton, Warning } from '../ui/states';
import { indentJson } from './indent';
import { type ChangeLook, orderOf, orderText, viewOf } from './look';
import { ResultTable } from './ResultTable';
import { RunFacts } from './RunFacts';
import type { Rows } from './rows';
import { type TableOptions, TableOptionsForm } from './TableOptions';
import type { ResultColumn } from './types';

/** Charts are loaded when the first one is shown. */
const ResultChart = lazy(() => import('./ResultChart'));

interface RunResultProps {
  /** Names the rows, such as a saved query. */
  name: string;
  columns: readonly ResultColumn[];
  response: Rows;
  look: Look;
  onLook: ChangeLook;
  /** Further buttons below the rows. */
  children?: ReactNode;
}

/** The rows of any response, as a table or as a chart, with what is known about the run. */
export function RunResult({ name, columns, response, look, onLook, children }: RunResultProps) {
  const { rows, headers, body } = response;
  const view = viewOf(look);
  const asOf = useMemo(() => asOfHeaders(headers), [headers]);
  const [options, setOptions] = useState<TableOptions>({ wrap: false, exact: false });
  const [filter, setFilter] = useState('');
  const caption = `Rows of ${name}`;
  return (
    <div className="result sections">
      <div className="head row">
        <RunFacts response={response} />
        {view === 'table' ? <TableOptionsForm columns={columns} options={options} onChange={setOptions} /> : null}
        <Segmented
          label="View of the rows"
          choices={views}
          value={view}
          onChange={(chosen) => onLook({ view: chosen === 'table' ? '' : chosen })}
        />
      </div>
      {headers.get('X-Truncated') === 'true' ? (
        <Warning title="Result truncated.">Only the first {formatCount(rows.length)} rows are shown.</Warning>
      ) : null}
      {rows.length === 0 ? (
        <p className="muted">No rows match these arguments.</p>
      ) : view === 'chart' ? (
        <Suspense fallback={<Skeleton label="Loading the chart" height="chart" />}>
          <ResultChart {...{ caption, columns, rows, asOf, look, onLook }} />
        </Suspense>
      ) : (
        <>
          <input
            type="search"
            className="row-filter"
            aria-label="Filter the rows"
            placeholder="Filter the rows: text, or a column such as status>=500 or path:/rest"
            value={filter}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setFilter(event.target.value)}
          />
          <ResultTable
            {...{ caption, columns, rows, options, filter }}
            now={asOf}
            order={orderOf(look)}
            onOrder={(order) => onLook({ sort: orderText(order) })}
          />
        </>
      )}
      <div className="buttons row">
        {children}
        <CopyButton label="Copy as JSON" text={async () => indentJson(await body.text())} />
      </div>
    </div>
  );
}

/** When the rows were computed, by the server's clock if it sent a date. */
function asOfHeaders(headers: Headers): Date {
  const sent = Date.parse(headers.get('Date') ?? '');
  const ageSeconds = Number(headers.get('Age') ?? 0);
  return new Date((Number.isNaN(sent) ? Date.now() : sent) - ageSeconds * 1000);
}
