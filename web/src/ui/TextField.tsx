import { type FormEvent, useEffect, useId, useState } from 'react';
import { Field } from './Field';

interface TextFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  suggestions?: string[];
  /** What is wrong with the value. */
  problem?: string | null;
  onCommit: (text: string) => void;
}

/** A text field that commits on Enter, on blur, or on choosing a suggestion. */
export function TextField({ label, value, placeholder, suggestions = [], problem = null, onCommit }: TextFieldProps) {
  const list = useId();
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const commit = (text: string): void => {
    const trimmed = text.trim();
    if (trimmed !== value) onCommit(trimmed);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    commit(draft);
  };
  const change = (text: string): void => {
    setDraft(text);
    if (suggestions.includes(text)) commit(text);
  };
  const shown = draft.trim() === value ? problem : null; // The problem is of the committed value.
  return (
    <form className="field" onSubmit={submit}>
      <Field label={label} problem={shown}>
        {(control) => (
          <input
            {...control}
            list={list}
            value={draft}
            placeholder={placeholder}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
            onChange={(event) => change(event.target.value)}
            onBlur={() => commit(draft)}
          />
        )}
      </Field>
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </form>
  );
}
