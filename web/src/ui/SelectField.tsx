import { Field } from './Field';

interface SelectFieldProps<Value extends string> {
  label: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  problem: string | null;
  onChange: (value: Value) => void;
}

/** One choice out of a list. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { label, choices, value, problem, onChange } = props;
  return (
    <Field label={label} problem={problem}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.target.value as Value)}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
