import type { Column } from '../endpoints/rest';
import { Field } from '../ui/Field';
import { type Draft, operators } from './declaration';

interface ConditionFieldsProps {
  columns: readonly Column[];
  draft: Draft;
  problem: string | null;
  onChange: (part: Partial<Draft>) => void;
}

const kinds = [
  { value: 'first', label: 'A column of the first row' },
  { value: 'any', label: 'There is a row' },
  { value: 'none', label: 'There is no row' },
] as const;

/** The condition: what is checked, and for a column, how it is compared. */
export function ConditionFields({ columns, draft, problem, onChange }: ConditionFieldsProps) {
  const { kind, column, operator, value } = draft;
  const comparable = columns.filter(({ type }) => !type.startsWith('ARRAY') && type !== 'JSON' && type !== 'STRUCT');
  const type = columns.find(({ name }) => name === column)?.type;
  const equalOnly = type === 'STRING' || type === 'BOOL';
  const isTime = type === 'TIMESTAMP' || type === 'DATETIME' || type === 'DATE';
  return (
    <>
      <Field label="Condition" problem={problem}>
        {(control) => (
          <select
            {...control}
            value={kind}
            onChange={(event) => onChange({ kind: event.target.value as Draft['kind'] })}
          >
            {kinds.map((choice) => (
              <option key={choice.value} value={choice.value}>
                {choice.label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {kind === 'first' ? (
        <div className="alert-comparison">
          <Field label="Column" problem={null}>
            {(control) => (
              <select
                {...control}
                value={column}
                onChange={(event) =>
                  onChange({ column: event.target.value, ...usualOperator(columns, event.target.value, operator) })
                }
              >
                <option value="">choose …</option>
                {comparable.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Is" problem={null}>
            {(control) => (
              <select {...control} value={operator} onChange={(event) => onChange({ operator: event.target.value })}>
                {operators
                  .filter((one) => !equalOnly || one === '==' || one === '!=')
                  .map((one) => (
                    <option key={one}>{one}</option>
                  ))}
              </select>
            )}
          </Field>
          <Field label="Value" problem={null}>
            {(control) => (
              <input
                {...control}
                value={value}
                placeholder={isTime ? 'now-10m' : '5'}
                autoComplete="off"
                onChange={(event) => onChange({ value: event.target.value })}
              />
            )}
          </Field>
        </div>
      ) : null}
    </>
  );
}

/** Strings and booleans have no order. */
function usualOperator(columns: readonly Column[], name: string, operator: string): Partial<Draft> {
  const type = columns.find((column) => column.name === name)?.type;
  const hasOrder = type !== 'STRING' && type !== 'BOOL';
  return hasOrder || operator === '==' || operator === '!=' ? {} : { operator: '==' };
}
