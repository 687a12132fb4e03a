import { workOf } from '../api/freshness';
import { formatBytes, formatCountOf, formatWork } from '../ui/numbers';
import type { Rows } from './rows';

/** How many rows a run returned, and how fast; the rest is shown when it is opened. */
export function RunFacts({ response }: { response: Rows }) {
  const { rows, headers, body, status, durationMs } = response;
  const work = workOf(headers);
  return (
    <details className="run-facts medium">
      <summary>
        <strong>{formatCountOf(rows.length, 'row', 'rows')}</strong>
        <span className="muted"> in {Math.round(durationMs)} ms</span>
      </summary>
      <dl className="result-line facts small">
        <Fact name="Status" value={String(status)} />
        <Fact name="Size" value={formatBytes(body.size)} />
        <Fact name="X-Cache" value={headers.get('X-Cache')} />
        <Fact name="Age" value={headers.get('Age')} unit=" s" />
        <Fact name="Engine" value={work === null ? null : formatWork(work)} />
        <Fact name="X-Request-Id" value={headers.get('X-Request-Id')} />
      </dl>
    </details>
  );
}

function Fact({ name, value, unit = '' }: { name: string; value: string | null; unit?: string }) {
  if (value === null) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {value}
        {unit}
      </dd>
    </>
  );
}
