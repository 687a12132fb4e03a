import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { type Failure, problemOf, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { permittedValues, useViewer } from '../app/viewer';
import type { Rows } from '../result/rows';
import { FailurePanel, Skeleton } from '../ui/states';
import type { Look } from './address';
import { forgetRuns, keepRun, runsIn } from './history';
import { ParameterField } from './ParameterField';
import { type Arguments, type Endpoint, missingParameters, restPath, sentArguments } from './rest';
import { useSuggestions } from './suggestions';

const AlertLink = lazy(async () => ({ default: (await import('../alerts/AlertLink')).AlertLink }));
const DownloadButtons = lazy(async () => ({ default: (await import('./DownloadButtons')).DownloadButtons }));
const RunHistory = lazy(async () => ({ default: (await import('./RunHistory')).RunHistory }));
const RunResult = lazy(async () => ({ default: (await import('../result/RunResult')).RunResult }));

interface RunFormProps {
  endpoint: Endpoint;
  args: Arguments;
  project: string;
  look: Look;
  onChange: (args: Arguments) => void;
  onLook: (part: Look) => void;
}

/** What a run requested. The server can replace the saved query meanwhile. */
interface Request {
  endpoint: Endpoint;
  path: string;
  args: Arguments;
}

/** Runs a saved query over REST with the arguments that are filled in. */
export function RunForm({ endpoint, args, project, look, onChange, onLook }: RunFormProps) {
  const { client, store } = useServices();
  // The rows stay while a later run fails.
  const [result, setResult] = useState<(Request & { response: Rows }) | null>(null);
  const [failed, setFailed] = useState<(Request & { failure: Failure }) | null>(null);
  const [runs, setRuns] = useState(() => runsIn(store));
  const [busy, setBusy] = useState(false);
  const [bypassCache, setBypassCache] = useState(false);
  const viewer = useViewer();
  const [wanted, setWanted] = useState(false);
  const suggestionsOf = useSuggestions(endpoint, args, wanted);
  const form = useRef<HTMLFormElement>(null);
  const missing = missingParameters(endpoint, args);
  const path = restPath(endpoint, args);
  const run = async (): Promise<void> => {
    setBusy(true);
    const request = { endpoint, path, args };
    setRuns(keepRun(store, { name: endpoint.name, args: byName(sentArguments(endpoint, args)), at: now() }));
    try {
      const { requestRows } = await import('../result/rows');
      setResult({ ...request, response: await requestRows(client, path, { bypassCache }) });
      setFailed(null);
    } catch (thrown) {
      setFailed({ ...request, failure: toFailure(thrown) });
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy && missing.length === 0) void run();
  };
  // A value that was changed after the run has not failed.
  const problemAt = (name: string): string | null =>
    failed !== null && String(failed.args[name] ?? '') === String(args[name] ?? '')
      ? problemOf(failed.failure, name)
      : null;
  const atField = endpoint.parameters.some(({ name }) => name === failed?.failure.details.argument);
  useEffect(() => {
    if (failed !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [failed]);
  return (
    <>
      {/* The server checks the values, and its messages name the remedy. */}
      <form
        ref={form}
        className="run-form"
        onFocus={() => setWanted(true)}
        onSubmit={submit}
        aria-label={`Run ${endpoint.name}`}
        noValidate
      >
        {endpoint.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            values={args[parameter.name] ?? []}
            permitted={permittedValues(viewer, parameter)}
            suggestions={suggestionsOf(parameter)}
            problem={problemAt(parameter.name)}
            onChange={(values) => onChange({ ...args, [parameter.name]: values })}
          />
        ))}
        <div className="run-line row medium">
          {/* A disabled button would lose the focus. */}
          <button type="submit" className="button button-main" disabled={missing.length > 0} aria-disabled={busy}>
            {busy ? 'Running …' : 'Run'}
          </button>
          {missing.length === 0 ? null : <span className="muted">Required: {missing.join(', ')}</span>}
          <label className="check row">
            <input type="checkbox" checked={bypassCache} onChange={(event) => setBypassCache(event.target.checked)} />
            Bypass cache
          </label>
          <code className="muted wrap">GET {path}</code>
        </div>
      </form>
      {failed === null ? null : (
        <FailurePanel failure={failed.failure} atField={atField} busy={busy} onRetry={() => void run()} />
      )}
      {result === null ? null : (
        <div className={failed === null ? undefined : 'previous'}>
          {failed === null ? null : <p className="muted small">These are the rows of the last run that succeeded.</p>}
          <Suspense fallback={<Skeleton label="Loading the rows" height="rows" />}>
            <RunResult
              name={result.endpoint.name}
              columns={result.endpoint.columns}
              response={result.response}
              look={look}
              onLook={onLook}
            >
              <DownloadButtons name={result.endpoint.name} path={result.path} />
              <AlertLink query={result.endpoint.name} args={byName(sentArguments(result.endpoint, result.args))} />
            </RunResult>
          </Suspense>
        </div>
      )}
      <Suspense>
        <RunHistory
          runs={runs}
          project={project}
          onForget={() => {
            forgetRuns(store);
            setRuns([]);
          }}
        />
      </Suspense>
    </>
  );
}

/** The values of each parameter. */
function byName(sent: readonly (readonly [string, string])[]): Arguments {
  const args: { [name: string]: string[] } = {};
  for (const [name, value] of sent) args[name] = [...(args[name] ?? []), value];
  return args;
}

function now(): string {
  return new Date().toISOString();
}
