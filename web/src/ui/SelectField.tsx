import { useId } from 'react';
import { FieldProblem, problemProps } from './FieldProblem';

interface SelectFieldProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  problem?: string | null;
  onChange: (value: Value) => void;
}

/** One choice out of a list. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, choices, value, problem = null, onChange } = props;
  const id = useId();
  return (
    <div className="field stack">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        value={value}
        {...problemProps(`${id}-problem`, problem)}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <FieldProblem id={`${id}-problem`} problem={problem} />
    </div>
  );
}
