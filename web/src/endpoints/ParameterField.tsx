import { useId } from 'react';
import { elementOf } from '../result/types';
import { FieldProblem } from '../ui/Field';
import { ChoicesControl } from './ChoicesControl';
import { controlOf } from './control';
import { ListControl } from './ListControl';
import { defaultOf, type Parameter, rulesOf } from './rest';
import { ValueControl } from './ValueControl';

interface ParameterFieldProps {
  parameter: Parameter;
  values: readonly string[];
  /** The only values that the token allows; null for any. */
  permitted: readonly string[] | null;
  suggestions: readonly string[];
  /** The server's error about the values. */
  problem: string | null;
  onChange: (values: readonly string[]) => void;
}

/** One parameter: its documentation is the label and the help of its field. */
export function ParameterField({ parameter, values, permitted, suggestions, problem, onChange }: ParameterFieldProps) {
  const id = useId();
  const { name, type, description, required, deprecated } = parameter;
  const usual = defaultOf(parameter);
  const isList = elementOf(type) !== null;
  const isChoice = controlOf(parameter, '', permitted).kind === 'choice';
  const describedBy = problem === null ? `${id}-help` : `${id}-problem ${id}-help`;
  const described = { 'aria-describedby': describedBy, 'aria-invalid': problem !== null };
  const label = (
    <>
      <code>{name}</code> <span className="muted small">{type}</span>{' '}
      {deprecated === null ? null : <span className="badge warning">deprecated</span>}
    </>
  );
  const list = { parameter, values, permitted, suggestions, described, onChange };
  const help = (
    <>
      <FieldProblem id={`${id}-problem`} problem={problem} />
      <p id={`${id}-help`} className="small wrap">
        {description} <span className="muted">{rulesOf(parameter, problem !== null)}</span>
        {deprecated === null ? null : <span className="deprecation"> Deprecated: {deprecated}</span>}
      </p>
    </>
  );
  if (isList) {
    return (
      <fieldset className="parameter stack">
        <legend>{label}</legend>
        {isChoice ? <ChoicesControl {...list} /> : <ListControl {...list} />}
        {help}
      </fieldset>
    );
  }
  return (
    <div className="parameter stack">
      <label htmlFor={id}>{label}</label>
      <ValueControl
        parameter={parameter}
        value={values[0] ?? ''}
        permitted={permitted}
        suggestions={suggestions}
        described={{ id, required, ...described }}
        emptyChoice={required ? 'choose …' : usual === null ? 'none' : `default: ${usual}`}
        placeholder={usual ?? ''}
        onChange={(value) => onChange([value])}
      />
      {help}
    </div>
  );
}
