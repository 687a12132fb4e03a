import { useId } from 'react';
import type { Look } from '../endpoints/address';
import { axesOf, type ChangeLook } from './look';
import { choicesOf, noSeries, type Plan } from './plan';
import type { ResultColumn } from './types';

interface AxesFormProps {
  columns: readonly ResultColumn[];
  plan: Plan;
  look: Look;
  onLook: ChangeLook;
}

/** The columns of a chart: the page chooses them unless the viewer does. */
export function AxesForm({ columns, plan, look, onLook }: AxesFormProps) {
  const choices = choicesOf(columns);
  const { x, y, series } = axesOf(look);
  if (plan.kind === 'none' || choices.y.length === 0) return null;
  const drawn = plan.numbers.map(({ name }) => name);
  const across = plan.kind === 'time' ? plan.time.name : (plan.category?.name ?? 'row');
  const toggle = (name: string): void => {
    const next = drawn.includes(name) ? drawn.filter((other) => other !== name) : [...drawn, name];
    // Without a number, there would be nothing to draw.
    if (next.length > 0) onLook({ y: choices.y.filter((one) => next.includes(one)).join(',') });
  };
  return (
    <div className="axes row medium">
      <Choice
        label="X"
        value={x}
        usual={`Auto (${across})`}
        options={choices.x}
        onChange={(chosen) => onLook({ x: chosen, zoom: '' })}
      />
      <details className="column-roles">
        <summary>
          Y: {y.length === 0 ? `Auto (${drawn.length})` : drawn.length <= 2 ? drawn.join(', ') : drawn.length}
        </summary>
        <ul className="column-list box">
          {choices.y.map((name) => (
            <li key={name}>
              <label className="check row">
                <input type="checkbox" checked={drawn.includes(name)} onChange={() => toggle(name)} />
                <code>{name}</code>
              </label>
            </li>
          ))}
        </ul>
      </details>
      {choices.series.length === 0 ? null : (
        <Choice
          label="Series"
          value={series}
          usual="Auto"
          options={choices.series}
          further={{ value: noSeries, label: 'None' }}
          onChange={(chosen) => onLook({ series: chosen })}
        />
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  /** What an empty value means. */
  usual: string;
  options: readonly string[];
  further?: { value: string; label: string };
  onChange: (value: string) => void;
}

function Choice({ label, value, usual, options, further, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <span className="axis-choice row">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{usual}</option>
        {further === undefined ? null : <option value={further.value}>{further.label}</option>}
        {options.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
