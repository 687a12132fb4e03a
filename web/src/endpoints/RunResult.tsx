import { useState } from 'react';
import type { RestResponse } from '../api/client';
import { compactJson, formatJson, type Json, parseJson } from '../api/json';
import { useLiking } from '../app/preferences';
import { formatFull } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { DataTable } from '../ui/DataTable';
import { formatBytes, formatCount, formatNumber } from '../ui/numbers';
import { Warning } from '../ui/states';
import type { Endpoint } from './rest';

/** How many rows are shown at first, so that the page stays fast. */
const firstRows = 50;

/** The rows and headers of a response. */
export function RunResult({ endpoint, response }: { endpoint: Endpoint; response: RestResponse }) {
  const [all, setAll] = useState(false);
  const { rows, headers } = response;
  const shown = all ? rows : rows.slice(0, firstRows);
  return (
    <div className="result sections">
      <dl className="result-line row small">
        <Fact name="Status" value={String(response.status)} />
        <Fact name="Rows" value={formatCount(rows.length)} />
        <Fact name="Time" value={`${Math.round(response.durationMs)} ms`} />
        <Fact name="Size" value={formatBytes(new TextEncoder().encode(response.body).length)} />
        <Fact name="X-Cache" value={headers.get('X-Cache')} />
        <Fact name="Age" value={headers.get('Age')} unit=" s" />
        <Fact name="X-Request-Id" value={headers.get('X-Request-Id')} />
      </dl>
      {headers.get('X-Truncated') === 'true' ? (
        <Warning title="Result truncated.">Only the first {formatCount(endpoint.maxRows)} rows are shown.</Warning>
      ) : null}
      {rows.length === 0 ? (
        <p className="muted">No rows match these arguments.</p>
      ) : (
        <DataTable
          caption={`Rows of ${endpoint.name}`}
          columns={endpoint.columns.map(({ name, type }) => ({
            name,
            numeric: type === 'INT64' || type === 'FLOAT64',
          }))}
          rows={shown.map((row, index) => ({
            key: index,
            cells: endpoint.columns.map(({ name, type }) => <Cell key={name} value={row[name] ?? null} type={type} />),
          }))}
        />
      )}
      <div className="buttons row">
        {rows.length > firstRows ? (
          <button type="button" className="button" onClick={() => setAll(!all)}>
            {all ? `Show the first ${firstRows} rows` : `Show all ${formatCount(rows.length)} rows`}
          </button>
        ) : null}
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

function Cell({ value, type }: { value: Json; type: string }) {
  const { zone } = useLiking();
  if (value === null) return <em className="muted">null</em>;
  if (typeof value === 'string') return <span className="cell truncate">{value}</span>;
  if (type === 'TIMESTAMP' && typeof value === 'number') {
    return (
      <>
        {value} <span className="muted">{formatFull(new Date(value / 1000), zone)}</span>
      </>
    );
  }
  if (type === 'FLOAT64' && typeof value === 'number') {
    return (
      <data value={value} title={String(value)}>
        {formatNumber(value)}
      </data>
    );
  }
  return <span className={typeof value === 'object' ? 'cell truncate mono small' : ''}>{compactJson(value)}</span>;
}
