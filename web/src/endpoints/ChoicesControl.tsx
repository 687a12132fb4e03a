import { controlOf } from './control';
import type { ListControlProps } from './ListControl';

/** The values of an ARRAY with allowed values: any number of them. */
export function ChoicesControl({ parameter, values, permitted, described, onChange }: ListControlProps) {
  const control = controlOf(parameter, '', permitted);
  const allowed = control.kind === 'choice' ? control.choices : [];
  // A link may name other values, which the server rejects.
  const others = values.filter((value) => value !== '' && !allowed.includes(value));
  const choices = [...new Set([...others, ...allowed])];
  const toggle = (choice: string, on: boolean): void =>
    onChange(choices.filter((one) => (one === choice ? on : values.includes(one))));
  return (
    <div className="row">
      {choices.map((choice) => (
        <label key={choice} className="check row">
          <input
            type="checkbox"
            {...described}
            checked={values.includes(choice)}
            disabled={permitted?.length === 1 && String(values) === choice}
            onChange={(event) => toggle(choice, event.target.checked)}
          />
          {choice}
        </label>
      ))}
    </div>
  );
}
