import '../endpoints/endpoints.css';
import './form.css';
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react';
import { toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import { useResponse } from '../app/useResponse';
import { permittedValues, useViewer } from '../app/viewer';
import { writeEndpoints } from '../endpoints/address';
import { EndpointsDocument } from '../endpoints/gql/graphql';
import { ParameterField } from '../endpoints/ParameterField';
import type { Endpoint } from '../endpoints/rest';
import { useSuggestions } from '../endpoints/suggestions';
import { CopyButton } from '../ui/CopyButton';
import { Field } from '../ui/Field';
import { FailurePanel, Skeleton } from '../ui/states';
import { writeAlerts } from './address';
import type { Alert } from './alerts';
import { ConditionFields } from './ConditionFields';
import { check, type Draft, draftOf, emptyDraft, nameOf, save } from './declaration';

const AlertPreview = lazy(() => import('./AlertPreview'));

interface AlertFormProps {
  /** The alert that is changed; null for a new one. */
  alert: Alert | null;
  /** What a new one begins with. */
  begin: Pick<Draft, 'query' | 'args'>;
  /** Whether the server writes alerts. */
  saves: boolean;
  targets: readonly string[];
  project: string;
  /** Waits until the server has read its files again. */
  onSaved: (draft: Draft) => Promise<void>;
}

/** Declares an alert, or changes one. It is the default export, because it is loaded when it is first shown. */
export default function AlertForm(props: AlertFormProps) {
  const { client } = useServices();
  const { data, failure, busy, refresh } = useResponse({
    key: 'endpoints',
    load: async (options) => (await client.query(EndpointsDocument, {}, options)).data.endpoints,
  });
  if (data !== null) return <Form {...props} endpoints={data} />;
  if (failure === null) return <Skeleton label="Loading the saved queries" height="rows" />;
  return <FailurePanel failure={failure} busy={busy} onRetry={() => void refresh()} />;
}

type FormProps = AlertFormProps & { endpoints: readonly Endpoint[] };

function Form({ alert, begin, saves, targets, project, endpoints, onSaved }: FormProps) {
  const { client, address } = useServices();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState<Draft>(alert === null ? { ...emptyDraft, ...begin } : draftOf(alert));
  const [named, setNamed] = useState(alert !== null);
  const [wanted, setWanted] = useState(false);
  const [busy, setBusy] = useState(false);
  const [mistakes, setMistakes] = useState<{ readonly [field: string]: string }>({});
  const [problem, setProblem] = useState<string | null>(null);
  const [yaml, setYaml] = useState<string | null>(null);
  const endpoint = endpoints.find(({ name }) => name === draft.query);
  const change = (part: Partial<Draft>, ...fields: string[]): void => {
    setDraft((before) => ({ ...before, ...part }));
    setMistakes((before) => Object.fromEntries(Object.entries(before).filter(([field]) => !fields.includes(field))));
    setYaml(null);
  };
  // The first wrong field gets the focus once, and not again while other values are corrected.
  const [refusals, setRefusals] = useState(0);
  const refuse = (found: { readonly [field: string]: string }): void => {
    setMistakes(found);
    setRefusals((count) => count + 1);
  };
  useEffect(() => {
    if (refusals > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [refusals]);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      const checked = await check(client, draft, alert !== null);
      refuse(checked.mistakes);
      if (Object.keys(checked.mistakes).length === 0) {
        if (saves) {
          await save(client, draft, alert !== null);
          await onSaved(draft);
          address.go(writeAlerts({ query: draft.query, name: draft.name }));
          return;
        }
        setYaml(checked.yaml);
      }
    } catch (thrown) {
      const { argument, message } = toFailure(thrown).details;
      if (argument === undefined) setProblem(message);
      else refuse({ [argument]: message });
    }
    setBusy(false);
  };
  const problemAt = (field: string): string | null => mistakes[field] ?? null;
  const shown = new Set(['query', 'title', 'name', 'every', 'when', 'for', 'notify', 'rows']);
  const elsewhere = Object.entries(mistakes).filter(
    ([field]) => !shown.has(field) && !endpoint?.parameters.some(({ name }) => field === `params.${name}`),
  );
  return (
    // The server checks the values, and its messages name the remedy.
    <form
      ref={form}
      className="panel box sections alert-form"
      aria-label={alert === null ? 'New alert' : `Edit ${alert.title}`}
      onFocus={() => setWanted(true)}
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      <fieldset className="alert-fields">
        <legend>What to check</legend>
        <Field label="Saved query" problem={problemAt('query')}>
          {(control) => (
            <select
              {...control}
              value={draft.query}
              disabled={alert !== null}
              onChange={(event) => change({ query: event.target.value, args: {}, column: '' }, 'query', 'when')}
            >
              <option value="">choose …</option>
              {endpoints.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        {endpoint === undefined ? null : (
          <>
            <p className="muted small wrap alert-wide">{endpoint.description}</p>
            <ParameterFields
              endpoint={endpoint}
              draft={draft}
              wanted={wanted}
              problemAt={problemAt}
              onChange={(args, field) => change({ args }, field)}
            />
          </>
        )}
      </fieldset>
      <fieldset className="alert-fields">
        <legend>When it fires</legend>
        <ConditionFields
          columns={endpoint?.columns ?? []}
          draft={draft}
          problem={problemAt('when')}
          onChange={(part) => change(part, 'when')}
        />
        <Field label="Check every" problem={problemAt('every')}>
          {(control) => (
            <input
              {...control}
              value={draft.every}
              placeholder="1m"
              autoComplete="off"
              onChange={(event) => change({ every: event.target.value }, 'every')}
            />
          )}
        </Field>
        <Field label="Checks in a row (optional)" problem={problemAt('for')}>
          {(control) => (
            <input
              {...control}
              type="number"
              min="1"
              max="1000"
              placeholder="1"
              value={draft.needed}
              onChange={(event) => change({ needed: event.target.value }, 'for')}
            />
          )}
        </Field>
        <p className="muted small alert-wide">
          Durations such as <code>30s</code>, <code>5m</code> or <code>1h</code>; at least <code>10s</code>. The state
          changes once that many checks in a row agree.
        </p>
      </fieldset>
      <fieldset className="alert-fields">
        <legend>What people read</legend>
        <Field label="Title (optional)" problem={problemAt('title')}>
          {(control) => (
            <input
              {...control}
              value={draft.title}
              placeholder="Errors are high"
              autoComplete="off"
              onChange={({ target: { value: title } }) =>
                change({ title, ...(named ? {} : { name: nameOf(title) }) }, 'title', 'name')
              }
            />
          )}
        </Field>
        <Field label="Name" problem={problemAt('name')}>
          {(control) => (
            <input
              {...control}
              value={draft.name}
              placeholder="errors-high"
              readOnly={alert !== null}
              spellCheck={false}
              autoCapitalize="off"
              autoComplete="off"
              onChange={(event) => {
                setNamed(true);
                change({ name: event.target.value }, 'name');
              }}
            />
          )}
        </Field>
        <Field label="Rows in a message (optional)" problem={problemAt('rows')}>
          {(control) => (
            <input
              {...control}
              type="number"
              min="0"
              max="100"
              placeholder="20"
              value={draft.rows}
              onChange={(event) => change({ rows: event.target.value }, 'rows')}
            />
          )}
        </Field>
        <Targets
          targets={targets}
          chosen={draft.notify}
          problem={problemAt('notify')}
          onChange={(notify) => change({ notify }, 'notify')}
        />
      </fieldset>
      {elsewhere.map(([field, message]) => (
        <p key={field} className="field-problem wrap" role="alert">
          {message}
        </p>
      ))}
      {problem === null ? null : (
        <p className="field-problem wrap" role="alert">
          {problem}
        </p>
      )}
      <div className="row">
        {/* A disabled button would lose the focus. */}
        <button type="submit" className="button button-main" disabled={endpoint === undefined} aria-disabled={busy}>
          {saves ? (busy ? 'Saving …' : 'Save') : busy ? 'Checking …' : 'Show the lines'}
        </button>
        <Link className="button" href={writeAlerts({})}>
          Cancel
        </Link>
        {endpoint === undefined ? null : (
          <Link className="button" href={writeEndpoints({ project, name: endpoint.name, args: draft.args, look: {} })}>
            Open the query
          </Link>
        )}
      </div>
      {yaml === null ? null : (
        <section className="stack" aria-label="Lines of query.yaml" role="status">
          <p className="medium">
            This server does not write folders. Add these lines to the <code>query.yaml</code> of{' '}
            <code>{draft.query}</code>, below other <code>alerts</code>:
          </p>
          <pre className="frame alert-example">{yaml}</pre>
          <CopyButton label="Copy" text={() => yaml} />
        </section>
      )}
      {endpoint === undefined ? null : (
        <Suspense>
          <AlertPreview draft={draft} onMistakes={refuse} />
        </Suspense>
      )}
    </form>
  );
}

interface ParameterFieldsProps {
  endpoint: Endpoint;
  draft: Draft;
  /** Whether to request suggestions. */
  wanted: boolean;
  problemAt: (field: string) => string | null;
  onChange: (args: Draft['args'], field: string) => void;
}

/** The parameters of the checks, with the controls of the Endpoints page. */
function ParameterFields({ endpoint, draft, wanted, problemAt, onChange }: ParameterFieldsProps) {
  const viewer = useViewer();
  const suggestionsOf = useSuggestions(endpoint, draft.args, wanted);
  return (
    <div className="run-form alert-wide">
      {endpoint.parameters.map((parameter) => (
        <ParameterField
          key={parameter.name}
          parameter={parameter}
          values={draft.args[parameter.name] ?? []}
          permitted={permittedValues(viewer, parameter)}
          suggestions={suggestionsOf(parameter)}
          problem={problemAt(`params.${parameter.name}`)}
          onChange={(values) => onChange({ ...draft.args, [parameter.name]: values }, `params.${parameter.name}`)}
        />
      ))}
    </div>
  );
}

interface TargetsProps {
  targets: readonly string[];
  chosen: readonly string[];
  problem: string | null;
  onChange: (chosen: readonly string[]) => void;
}

/** Who is notified. */
function Targets({ targets, chosen, problem, onChange }: TargetsProps) {
  const all = [...new Set([...targets, ...chosen])];
  return (
    <fieldset className="stack alert-wide">
      <legend className="label">Notify</legend>
      {all.length === 0 ? (
        <p className="muted small">
          Nobody: the server has no targets. Start it with a file of them in <code>--notify</code>.
        </p>
      ) : (
        <div className="row">
          {all.map((target) => (
            <label key={target} className="check row">
              <input
                type="checkbox"
                checked={chosen.includes(target)}
                aria-invalid={problem !== null}
                onChange={(event) =>
                  onChange(event.target.checked ? [...chosen, target] : chosen.filter((other) => other !== target))
                }
              />
              {target}
            </label>
          ))}
        </div>
      )}
      {problem === null ? null : (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
