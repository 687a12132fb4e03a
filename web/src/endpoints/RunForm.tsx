import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { RestResponse } from '../api/client';
import { type Failure, problemOf, toFailure, withParameter } from '../api/failure';
import { useServices } from '../app/context';
import type { View } from '../app/routes';
import { permittedValues, useViewer } from '../app/viewer';
import { FailurePanel, Skeleton } from '../ui/states';
import { ParameterField } from './ParameterField';
import { type Arguments, type Endpoint, missingParameters, restPath } from './rest';
import { useSuggestions } from './suggestions';

const RunResult = lazy(async () => ({ default: (await import('./RunResult')).RunResult }));

interface RunFormProps {
  endpoint: Endpoint;
  args: Arguments;
  view: View;
  onChange: (args: Arguments) => void;
  onView: (view: View) => void;
}

/** How a run ended, with what it requested. The server can replace the saved query meanwhile. */
type Outcome = { endpoint: Endpoint; path: string; args: Arguments } & (
  | { response: RestResponse }
  | { failure: Failure }
);

/** Runs a saved query over REST with the arguments that are filled in. */
export function RunForm({ endpoint, args, view, onChange, onView }: RunFormProps) {
  const { client } = useServices();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
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
    try {
      setOutcome({ endpoint, path, args, response: await client.run(path, { bypassCache }) });
    } catch (thrown) {
      const failure = withParameter(
        toFailure(thrown),
        endpoint.parameters.map(({ name }) => name),
      );
      setOutcome({ endpoint, path, args, failure });
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy && missing.length === 0) void run();
  };
  // A value that was changed after the run has not failed.
  const problemAt = (name: string): string | null =>
    outcome !== null && 'failure' in outcome && String(outcome.args[name] ?? '') === String(args[name] ?? '')
      ? problemOf(outcome.failure, name)
      : null;
  useEffect(() => {
    if (outcome !== null && 'failure' in outcome) {
      form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    }
  }, [outcome]);
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
          <label className="check row">
            <input type="checkbox" checked={bypassCache} onChange={(event) => setBypassCache(event.target.checked)} />
            Bypass cache
          </label>
          <code className="muted wrap">GET {path}</code>
          {missing.length === 0 ? null : <span className="muted">Required: {missing.join(', ')}</span>}
        </div>
      </form>
      {outcome === null ? null : 'failure' in outcome ? (
        <FailurePanel
          failure={outcome.failure}
          atField={outcome.failure.details.argument !== undefined}
          busy={busy}
          onRetry={() => void run()}
        />
      ) : (
        <Suspense fallback={<Skeleton label="Loading the rows" height="rows" />}>
          <RunResult {...outcome} view={view} onView={onView} />
        </Suspense>
      )}
    </>
  );
}
