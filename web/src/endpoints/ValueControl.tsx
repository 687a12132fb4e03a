import { lazy, Suspense, useId } from 'react';
import { Suggestions } from '../ui/TextField';
import { controlOf } from './control';
import type { Parameter } from './rest';

const DayButton = lazy(() => import('../time/DayButton'));

/** The attributes that link a control to its label, its help and its error. */
export interface Described {
  id?: string;
  required?: boolean;
  'aria-label'?: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

interface ValueControlProps {
  parameter: Parameter;
  value: string;
  /** The only values that the token allows; null for any. */
  permitted: readonly string[] | null;
  /** Values to choose from; any other can be typed. */
  suggestions: readonly string[];
  described: Described;
  /** The label of no value in a list of choices. */
  emptyChoice: string;
  placeholder: string;
  onChange: (value: string) => void;
}

/** The control for one value, by its type. */
export function ValueControl(props: ValueControlProps) {
  const { parameter, value, permitted, suggestions, described, emptyChoice, placeholder, onChange } = props;
  const control = controlOf(parameter, value, permitted);
  const list = useId();
  const shared = {
    ...described,
    value,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  // A link may have another value, which can be replaced.
  if (permitted?.length === 1 && value === permitted[0]) return <input {...described} value={value} readOnly />;
  switch (control.kind) {
    case 'choice':
      return (
        <select {...shared}>
          <option value="">{emptyChoice}</option>
          {control.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      );
    case 'number':
      return (
        <input
          {...shared}
          type="number"
          min={control.min ?? undefined}
          max={control.max ?? undefined}
          step={control.step}
          placeholder={placeholder}
        />
      );
    case 'time':
      return (
        <div className="time-value">
          <input {...shared} placeholder={placeholder} spellCheck={false} autoCapitalize="off" autoComplete="off" />
          <Suspense>
            <DayButton
              name={described['aria-label'] ?? parameter.name}
              type={control.type}
              value={value}
              onChange={onChange}
            />
          </Suspense>
        </div>
      );
    case 'text':
      return (
        <>
          <input
            {...shared}
            list={list}
            inputMode={control.inputMode}
            placeholder={placeholder}
            spellCheck={false}
            autoCapitalize="off"
            autoComplete="off"
          />
          <Suggestions id={list} values={suggestions} />
        </>
      );
  }
}
