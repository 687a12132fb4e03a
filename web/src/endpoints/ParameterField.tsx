import { useId } from 'react';
import { FieldProblem } from '../ui/Field';
import { type Parameter, rulesOf } from './rest';

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  /** The only values that the token allows; null for any. */
  permitted: readonly string[] | null;
  /** The server's error about the value. */
  problem: string | null;
  onChange: (value: string) => void;
}

/** One parameter: its documentation is the label of its field. */
export function ParameterField({ parameter, value, permitted, problem, onChange }: ParameterFieldProps) {
  const id = useId();
  const { name, type, description, required, default: fallback, maxLength } = parameter;
  const choices = choicesOf(parameter, value, permitted);
  const describedBy = problem === null ? `${id}-help` : `${id}-problem ${id}-help`;
  const shared = { id, required, 'aria-describedby': describedBy, 'aria-invalid': problem !== null };
  return (
    <div className="parameter stack">
      <label htmlFor={id}>
        <code>{name}</code> <span className="muted small">{type}</span>
      </label>
      {choices.length > 0 ? (
        <select {...shared} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{fallback === null ? 'none' : `default: ${fallback}`}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input
          {...shared}
          value={value}
          inputMode={type === 'INT64' ? 'numeric' : type === 'FLOAT64' ? 'decimal' : 'text'}
          maxLength={maxLength ?? undefined}
          placeholder={fallback ?? ''}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <FieldProblem id={`${id}-problem`} problem={problem} />
      <p id={`${id}-help`} className="small">
        {description} <span className="muted">{rulesOf(parameter)}</span>
      </p>
    </div>
  );
}

/** The values to choose from; none if any value is allowed. */
function choicesOf(
  { type, allowed }: Parameter,
  value: string,
  permitted: readonly string[] | null,
): readonly string[] {
  if (permitted === null) return type === 'BOOL' && allowed.length === 0 ? ['true', 'false'] : allowed;
  // A link may name another value, which the server rejects.
  return value === '' || permitted.includes(value) ? permitted : [value, ...permitted];
}
