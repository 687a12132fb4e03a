import { type FormEvent, useState } from 'react';
import type { RestResponse } from '../api/client';
import { type Failure, problemOf, toFailure, withParameter } from '../api/failure';
import { useServices } from '../app/context';
import { permittedValues, useViewer } from '../app/viewer';
import { FailurePanel } from '../ui/states';
import { ParameterField } from './ParameterField';
import { RunResult } from './RunResult';
import { type Arguments, type Endpoint, missingParameters, restPath } from './rest';

interface RunFormProps {
  endpoint: Endpoint;
  args: Arguments;
  onChange: (args: Arguments) => void;
}

type Outcome = { response: RestResponse } | { failure: Failure };

/** Runs a saved query over REST with the arguments that are filled in. */
export function RunForm({ endpoint, args, onChange }: RunFormProps) {
  const { client } = useServices();
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [busy, setBusy] = useState(false);
  const [bypassCache, setBypassCache] = useState(false);
  const viewer = useViewer();
  const failure = outcome !== null && 'failure' in outcome ? outcome.failure : null;
  const missing = missingParameters(endpoint, args);
  const path = restPath(endpoint, args);
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      setOutcome({ response: await client.run(path, { bypassCache }) });
    } catch (thrown) {
      const failure = withParameter(
        toFailure(thrown),
        endpoint.parameters.map(({ name }) => name),
      );
      setOutcome({ failure });
    }
    setBusy(false);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!busy) void run();
  };
  return (
    <>
      <form className="run-form" onSubmit={submit} aria-label={`Run ${endpoint.name}`}>
        {endpoint.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            value={args[parameter.name] ?? ''}
            permitted={permittedValues(viewer, parameter)}
            problem={problemOf(failure, parameter.name)}
            onChange={(value) => onChange({ ...args, [parameter.name]: value })}
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
        <RunResult endpoint={endpoint} response={outcome.response} />
      )}
    </>
  );
}
