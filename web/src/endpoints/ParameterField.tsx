import { useId } from 'react';
import { type Parameter, rulesOf } from './rest';

interface ParameterFieldProps {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
}

/** One parameter: its documentation is the label of its field. */
export function ParameterField({ parameter, value, onChange }: ParameterFieldProps) {
  const id = useId();
  const { name, type, description, required, allowed, default: fallback, maxLength } = parameter;
  const choices = type === 'BOOL' && allowed.length === 0 ? ['true', 'false'] : allowed;
  const shared = { id, required, 'aria-describedby': `${id}-help` };
  return (
    <div className="parameter">
      <label htmlFor={id}>
        <code>{name}</code> <span className="muted">{type}</span>
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
      <p id={`${id}-help`} className="parameter-help">
        {description} <span className="muted">{rulesOf(parameter)}</span>
      </p>
    </div>
  );
}
