import { lazy, Suspense, useState } from 'react';
import type { RestResponse } from '../api/client';
import { workOf } from '../api/freshness';
import { formatJson, parseJson } from '../api/json';
import { type View, views } from '../app/routes';
import { CopyButton } from '../ui/CopyButton';
import { formatBytes, formatCount, formatWork } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Skeleton, Warning } from '../ui/states';
import { DownloadButtons } from './DownloadButtons';
import { RowTable } from './RowTable';
import type { Endpoint } from './rest';
import { canChart } from './types';

/** Charts are loaded when the first one is shown. */
const ResultChart = lazy(() => import('./ResultChart'));

interface RunResultProps {
  endpoint: Endpoint;
  /** The address that was requested. */
  path: string;
  response: RestResponse;
  view: View;
  onView: (view: View) => void;
}

/** How many rows are shown at first, so that the page stays fast. */
const firstRows = 50;

/** The rows and headers of a response. */
export function RunResult({ endpoint, path, response, view, onView }: RunResultProps) {
  const [all, setAll] = useState(false);
  const { rows, headers } = response;
  const work = workOf(headers);
  const isChart = view === 'chart' && canChart(endpoint.columns);
  return (
    <div className="result sections">
      <div className="head row">
        <dl className="result-line row small">
          <Fact name="Status" value={String(response.status)} />
          <Fact name="Rows" value={formatCount(rows.length)} />
          <Fact name="Time" value={`${Math.round(response.durationMs)} ms`} />
          <Fact name="Size" value={formatBytes(new TextEncoder().encode(response.body).length)} />
          <Fact name="X-Cache" value={headers.get('X-Cache')} />
          <Fact name="Age" value={headers.get('Age')} unit=" s" />
          <Fact name="Engine" value={work === null ? null : formatWork(work)} />
          <Fact name="X-Request-Id" value={headers.get('X-Request-Id')} />
        </dl>
        {canChart(endpoint.columns) ? (
          <Segmented label="View of the rows" choices={views} value={view} onChange={onView} />
        ) : null}
      </div>
      {headers.get('X-Truncated') === 'true' ? (
        <Warning title="Result truncated.">Only the first {formatCount(endpoint.maxRows)} rows are shown.</Warning>
      ) : null}
      {rows.length === 0 ? (
        <p className="muted">No rows match these arguments.</p>
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
        <DownloadButtons name={endpoint.name} path={path} />
        <CopyButton label="Copy as JSON" text={() => formatJson(parseJson(response.body))} />
      </div>
    </div>
  );
}

function Fact({ name, value, unit = '' }: { name: string; value: string | null; unit?: string }) {
  if (value === null) return null;
  return (
    <div className="row">
      <dt className="muted">{name}</dt>
      <dd className="wrap">
        <strong>
          {value}
          {unit}
        </strong>
      </dd>
    </div>
  );
}
