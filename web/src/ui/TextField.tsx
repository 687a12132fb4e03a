import { type FormEvent, useEffect, useId, useState } from 'react';

interface TextFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  suggestions?: string[];
  /** Says what is wrong with a text; null where nothing is. */
  check?: (text: string) => string | null;
  onCommit: (text: string) => void;
}

/** A text that counts when it is entered: by Enter, by leaving, or by choosing a suggestion. */
export function TextField({ label, value, placeholder, suggestions = [], check, onCommit }: TextFieldProps) {
  const id = useId();
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  const problem = check?.(draft.trim()) ?? null;
  const commit = (text: string): void => {
    const trimmed = text.trim();
    if (trimmed !== value && (check?.(trimmed) ?? null) === null) onCommit(trimmed);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    commit(draft);
  };
  const change = (text: string): void => {
    setDraft(text);
    if (suggestions.includes(text)) commit(text);
  };
  return (
    <form className="field" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        list={suggestions.length === 0 ? undefined : `${id}-list`}
        value={draft}
        placeholder={placeholder}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        onChange={(event) => change(event.target.value)}
        onBlur={() => commit(draft)}
      />
      {problem === null ? null : (
        <p id={`${id}-problem`} className="field-problem">
          {problem}
        </p>
      )}
      {suggestions.length === 0 ? null : (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </form>
  );
}
