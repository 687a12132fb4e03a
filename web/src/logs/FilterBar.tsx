import { type ChangeEvent, type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { FieldProblem } from '../ui/Field';
import { formatCount } from '../ui/numbers';
import { type Completion, completionsAt, type Known, parseQuery } from './query';

interface FilterBarProps {
  value: string;
  /** What can complete it. */
  known: Known;
  /** What the server says is wrong with it. */
  problem: string | null;
  onCommit: (text: string) => void;
}

/**
 * The one field for all filters, which completes fields and their values. Text with a mistake
 * stays in the field, and what is shown stays as it is.
 */
export function FilterBar({ value, known, problem, onCommit }: FilterBarProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(value);
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const [tried, setTried] = useState(false);
  useEffect(() => setDraft(value), [value]);
  const completions = caret === null ? [] : completionsAt(draft, caret, known);
  const mistake = tried || draft === value ? parseQuery(draft).problem : null;
  const shown = mistake ?? (draft === value ? problem : null);
  const close = (): void => {
    setCaret(null);
    setChosen(-1);
  };
  const commit = (text: string): void => {
    close();
    setTried(true);
    if (parseQuery(text).problem === null && text.trim() !== value) onCommit(text.trim());
  };
  const complete = ({ start, end, text }: Completion): void => {
    const next = `${draft.slice(0, start)}${text}${draft.slice(end).trimStart()}`;
    flushSync(() => {
      setDraft(next);
      setChosen(-1);
      setCaret(start + text.length);
    });
    input.current?.focus();
    // At once: a later frame would move the caret back from what has been typed since.
    input.current?.setSelectionRange(start + text.length, start + text.length);
    if (text.endsWith(' ')) commit(next);
  };
  const change = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    setDraft(target.value);
    setTried(false);
    setChosen(-1);
    setCaret(target.selectionStart);
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (caret === null) setCaret(input.current?.selectionStart ?? 0);
      else setChosen(Math.max(-1, Math.min(completions.length - 1, chosen + step)));
    }
    // A search field would also be emptied.
    if (event.key === 'Escape') {
      event.preventDefault();
      close();
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const completion = completions[chosen];
    if (completion === undefined) commit(draft);
    else complete(completion);
  };
  return (
    <search className="filter-bar">
      <form className="stack" onSubmit={submit}>
        <input
          ref={input}
          type="search"
          id={`${id}-input`}
          className="mono"
          role="combobox"
          aria-label="Filter"
          aria-expanded={completions.length > 0}
          aria-controls={completions.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={chosen < 0 ? undefined : `${id}-${chosen}`}
          aria-autocomplete="list"
          aria-keyshortcuts="/"
          {...(shown === null ? {} : { 'aria-invalid': true as const, 'aria-describedby': `${id}-problem` })}
          value={draft}
          placeholder="Words, -words, or status:5xx path:/rest source:auth_logs -level:info"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={change}
          onClick={() => setCaret(input.current?.selectionStart ?? 0)}
          onKeyDown={press}
          onBlur={() => {
            if (draft.trim() !== value) commit(draft);
            else close();
          }}
        />
        {completions.length === 0 ? null : (
          <div className="completions box">
            <div id={`${id}-list`} role="listbox" aria-label="Completions">
              {completions.map((completion, index) => (
                <div
                  key={completion.label}
                  id={`${id}-${index}`}
                  role="option"
                  aria-selected={index === chosen}
                  tabIndex={-1}
                  className="completion row"
                  // Not a click, which the field would lose the focus to.
                  onPointerDown={(event) => {
                    event.preventDefault();
                    complete(completion);
                  }}
                >
                  <span className="mono">{completion.label}</span>{' '}
                  <span className="muted small">
                    {completion.count === null ? completion.help : formatCount(completion.count)}
                  </span>
                </div>
              ))}
            </div>
            <p className="muted small">
              <kbd>↑</kbd> <kbd>↓</kbd> choose, <kbd>Enter</kbd> takes, <kbd>Esc</kbd> closes. Words are searched in the
              message; a minus leaves out.
            </p>
          </div>
        )}
        <FieldProblem id={`${id}-problem`} problem={shown} />
      </form>
    </search>
  );
}
