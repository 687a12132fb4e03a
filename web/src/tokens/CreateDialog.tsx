import { useState } from 'react';
import { type Failure, problemOf, toFailure } from '../api/failure';
import { useServices } from '../app/context';
import { useProjectList } from '../app/lists';
import { CopyButton } from '../ui/CopyButton';
import { Dialog } from '../ui/Dialog';
import { Field } from '../ui/Field';
import { SelectField } from '../ui/SelectField';
import { Suggestions } from '../ui/TextField';
import { createToken, type Draft, emptyDraft, lifetimes, type Scope, type TokenList } from './tokens';
import { scopeName } from './words';

interface CreateDialogProps {
  list: TokenList;
  onCreated: () => void;
  onClose: () => void;
}

/** Creates a token, and shows its secret once. */
export function CreateDialog({ list, onCreated, onClose }: CreateDialogProps) {
  const { client } = useServices();
  const [draft, setDraft] = useState(emptyDraft);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const create = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      setSecret(await createToken(client, draft, new Date()));
      onCreated();
    } catch (thrown) {
      setFailure(toFailure(thrown));
    }
    setBusy(false);
  };
  if (secret !== null) return <Secret name={draft.name} secret={secret} onClose={onClose} />;
  return (
    <Dialog title="New token" wide onClose={onClose} onSubmit={() => void create()}>
      <CreateFields list={list} draft={draft} failure={failure} onChange={(part) => setDraft({ ...draft, ...part })} />
      <div className="row">
        <button
          type="submit"
          className="button button-main"
          disabled={draft.name.trim() === ''}
          aria-disabled={busy || draft.name.trim() === ''}
        >
          {busy ? 'Creating …' : 'Create'}
        </button>
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

/** The secret of a new token. Nothing keeps it when the dialog is closed. */
function Secret({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  return (
    <Dialog title={`The token ${name}`} wide onClose={onClose} onSubmit={onClose}>
      <p className="medium">
        Copy the token now: it is shown only once. The server keeps only its hash, and cannot show it again.
      </p>
      <p className="token-secret wrap">
        <code>{secret}</code>
      </p>
      <div className="row">
        <CopyButton label="Copy token" text={() => secret} />
        <button type="submit" className="button button-main">
          Done
        </button>
      </div>
    </Dialog>
  );
}

interface CreateFieldsProps {
  list: TokenList;
  draft: Draft;
  failure: Failure | null;
  onChange: (part: Partial<Draft>) => void;
}

const atFields = ['name', 'projects', 'endpoints', 'projectTier', 'sources', 'rate', 'budgetDay', 'expires', 'scopes'];

function CreateFields({ list: { scopes, choices }, draft, failure, onChange }: CreateFieldsProps) {
  const projects = useProjectList(true);
  const problem = (field: string): string | null => problemOf(failure, field);
  const managing = draft.scopes.includes('manage_tokens');
  const text = (
    label: string,
    field: Exclude<keyof Draft, 'scopes'>,
    placeholder: string,
    more: { problemAt?: string; suggestions?: readonly string[]; required?: boolean } = {},
  ) => (
    <Field label={label} problem={problem(more.problemAt ?? field)}>
      {(control) => (
        <>
          <input
            {...control}
            value={draft[field]}
            placeholder={placeholder}
            required={more.required}
            list={more.suggestions === undefined ? undefined : `${control.id}-list`}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            onChange={(event) => onChange({ [field]: event.target.value })}
          />
          {more.suggestions === undefined ? null : <Suggestions id={`${control.id}-list`} values={more.suggestions} />}
        </>
      )}
    </Field>
  );
  return (
    <>
      <div className="token-fields">
        {text('Name', 'name', 'dashboard', { required: true })}
        <SelectField
          label="Expires after"
          choices={lifetimes}
          value={draft.days}
          problem={problem('expires')}
          onChange={(days) => onChange({ days })}
        />
      </div>
      <ScopeFields
        scopes={scopes}
        chosen={draft.scopes}
        problem={problem('scopes')}
        onChange={(chosen) => onChange({ scopes: chosen })}
      />
      {managing ? (
        <p className="muted small">A token that manages tokens has no limits.</p>
      ) : (
        <div className="token-fields">
          {text('Projects', 'projects', 'All', { suggestions: projects })}
          {text('Saved queries', 'endpoints', 'All', { suggestions: choices.endpoints })}
          {choices.projectTiers.length === 0 ? null : (
            <SelectField
              label="Highest project tier"
              choices={[
                { value: '', label: 'Any' },
                ...choices.projectTiers.map((tier) => ({ value: tier, label: tier })),
              ]}
              value={draft.projectTier}
              problem={problem('projectTier')}
              onChange={(projectTier) => onChange({ projectTier })}
            />
          )}
          {draft.scopes.includes('ingest')
            ? text('Log sources', 'sources', 'All', { suggestions: choices.sources })
            : null}
          {text('Requests per second', 'rate', 'Any number')}
          {text('Runs per day', 'requests', 'Any number', { problemAt: 'budgetDay' })}
          {text('Billed bytes per day', 'bytes', 'Any, such as 10GiB', { problemAt: ' ' })}
          {text('Engine seconds per day', 'seconds', 'Any number', { problemAt: ' ' })}
        </div>
      )}
      {failure === null || atFields.some((field) => problem(field) !== null) ? null : (
        <p className="field-problem wrap" role="alert">
          {failure.details.message}
        </p>
      )}
    </>
  );
}

interface ScopeFieldsProps {
  scopes: readonly Scope[];
  chosen: readonly string[];
  problem: string | null;
  onChange: (chosen: string[]) => void;
}

/** What the token may do besides saved queries, each with a sentence. */
function ScopeFields({ scopes, chosen, problem, onChange }: ScopeFieldsProps) {
  return (
    <fieldset className="stack">
      <legend className="label">Besides running saved queries, it may</legend>
      {scopes.map(({ name, allows, grantable }) => (
        <label key={name} className="check token-scope medium">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            disabled={!grantable}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((other) => other !== name))
            }
          />
          <span>
            <strong>{scopeName(name)}</strong>{' '}
            <span className="muted">
              {allows}
              {grantable ? '' : ' Your token lacks it.'}
            </span>
          </span>
        </label>
      ))}
      {problem === null ? null : (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
