import { useEffect, useRef } from 'react';
import type { Parameter } from './rest';
import { type Described, ValueControl } from './ValueControl';

export interface ListControlProps {
  parameter: Parameter;
  values: readonly string[];
  /** The only values that the token allows; null for any. */
  permitted: readonly string[] | null;
  suggestions: readonly string[];
  described: Described;
  onChange: (values: readonly string[]) => void;
}

/** The values of an ARRAY, one control for each. */
export function ListControl({ parameter, values, permitted, suggestions, described, onChange }: ListControlProps) {
  const shown = values.length === 0 ? [''] : values;
  const list = useRef<HTMLDivElement>(null);
  // What was added or removed leaves the focus on the last value.
  const focusLast = useRef(false);
  useEffect(() => {
    if (focusLast.current) [...(list.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
    focusLast.current = false;
  });
  const resize = (resized: readonly string[]): void => {
    focusLast.current = true;
    onChange(resized);
  };
  return (
    <div ref={list} className="stack">
      {shown.map((value, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a value is known by its position.
        <div key={index} className="list-value">
          <ValueControl
            parameter={parameter}
            value={value}
            permitted={permitted}
            suggestions={suggestions}
            described={{ ...described, 'aria-label': `${parameter.name} ${index + 1}` }}
            emptyChoice=""
            placeholder={index === 0 && values.length === 0 ? parameter.defaults.join(', ') : ''}
            onChange={(changed) => onChange(shown.with(index, changed))}
          />
          {shown.length === 1 ? null : (
            <button
              type="button"
              className="button"
              aria-label={`Remove ${parameter.name} ${index + 1}`}
              onClick={() => resize(shown.toSpliced(index, 1))}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      <button type="button" className="button add-value" onClick={() => resize([...shown, ''])}>
        Add value
      </button>
    </div>
  );
}
