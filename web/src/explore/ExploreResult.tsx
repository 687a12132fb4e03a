import { lazy, Suspense, useState } from 'react';
import { formatJson, parseJson } from '../api/json';
import { type View, views } from '../app/routes';
import { RowTable } from '../endpoints/RowTable';
import type { Column, Endpoint } from '../endpoints/rest';
import { canChart } from '../endpoints/types';
import { CopyButton } from '../ui/CopyButton';
import { formatCount } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Skeleton, Warning } from '../ui/states';
import type { Rows } from './run';

const ResultChart = lazy(() => import('../endpoints/ResultChart'));

/** How many rows are shown at first, so that the page stays fast. */
const firstRows = 100;

interface ExploreResultProps {
  result: Rows;
  view: View;
  onView: (view: View) => void;
  /** Downloads the rows in a format. */
  onDownload: (ending: string, accept: string) => void;
}

/** The rows of SQL, as a table or a chart. */
export function ExploreResult({ result, view, onView, onDownload }: ExploreResultProps) {
  const [all, setAll] = useState(false);
  const { columns, rows, truncated, milliseconds } = result;
  const endpoint = asEndpoint(columns);
  const isChart = view === 'chart' && canChart(columns);
  return (
    <div className="result sections">
      <div className="head row">
        <Summary rows={rows.length} milliseconds={milliseconds} />
        {canChart(columns) ? (
          <Segmented label="View of the rows" choices={views} value={view} onChange={onView} />
        ) : view === 'chart' ? (
          <span className="muted small">A chart needs a column with times and one with numbers.</span>
        ) : null}
      </div>
      {truncated ? (
        <Warning title="Result truncated.">Only the first {formatCount(rows.length)} rows are shown.</Warning>
      ) : null}
      {rows.length === 0 ? (
        <p className="muted">The query returned no rows.</p>
      ) : isChart ? (
        <Suspense fallback={<Skeleton label="Loading the chart" height="chart" />}>
          <ResultChart endpoint={endpoint} rows={rows} />
        </Suspense>
      ) : (
        <RowTable endpoint={endpoint} rows={all ? rows : rows.slice(0, firstRows)} />
      )}
      <div className="buttons row">
        {rows.length > firstRows && !isChart ? (
          <button type="button" className="button" onClick={() => setAll(!all)}>
            {all ? `Show the first ${firstRows} rows` : `Show all ${formatCount(rows.length)} rows`}
          </button>
        ) : null}
        <button type="button" className="button" onClick={() => onDownload('csv', 'text/csv')}>
          Download CSV
        </button>
        <button type="button" className="button" onClick={() => onDownload('ndjson', 'application/x-ndjson')}>
          Download NDJSON
        </button>
        <CopyButton label="Copy as JSON" text={() => formatJson(parseJson(result.body))} />
      </div>
    </div>
  );
}

function Summary({ rows, milliseconds }: { rows: number; milliseconds: number }) {
  return (
    <p className="small" role="status">
      <strong>{formatCount(rows)}</strong> {rows === 1 ? 'row' : 'rows'} in{' '}
      <strong>{formatCount(Math.max(1, Math.round(milliseconds)))} ms</strong>
    </p>
  );
}

/** The columns in the form that the components of the Endpoints page show. They use no other member. */
function asEndpoint(columns: readonly Column[]): Endpoint {
  return { name: 'the query', columns } as unknown as Endpoint;
}
