import { type ChangeEvent, type FormEvent, useEffect, useId, useState } from 'react';
import { Field } from './Field';

interface TextFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  /** Values to choose from; any other can be typed. */
  suggestions?: readonly string[];
  /** What is wrong with the value. */
  problem?: string | null;
  onFocus?: () => void;
  onCommit: (text: string) => void;
}

/** A text field that commits on Enter, on blur, or on choosing a suggestion. */
export function TextField(props: TextFieldProps) {
  const { label, value, placeholder, suggestions = [], problem = null, onFocus, onCommit } = props;
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
  const change = ({ target, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    setDraft(target.value);
    // What is typed can be the beginning of another value.
    const chosen = (nativeEvent as InputEvent).inputType === 'insertReplacementText';
    if (chosen && suggestions.includes(target.value)) commit(target.value);
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
            onFocus={onFocus}
            onChange={change}
            onBlur={() => commit(draft)}
          />
        )}
      </Field>
      <Suggestions id={list} values={suggestions} />
    </form>
  );
}

/** The values that an input suggests. */
export function Suggestions({ id, values }: { id: string; values: readonly string[] }) {
  return (
    <datalist id={id}>
      {[...new Set(values)].map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}
