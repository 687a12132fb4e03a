import { describeRole, type Role, type Roles, roleOf, roles } from './roles';
import { isNumeric, type ResultColumn } from './types';

/** How a table shows its values. */
export interface TableOptions {
  /** Whether long texts have several lines. */
  wrap: boolean;
  /** Whether times and numbers are shown with all their digits. */
  exact: boolean;
  /** Whether times say how long ago they are. */
  relative?: boolean;
  /** Whether a last row has the sums. */
  totals?: boolean;
  /** The roles that the viewer chose. */
  roles?: Roles;
}

interface TableOptionsFormProps {
  columns: readonly ResultColumn[];
  options: TableOptions;
  onChange: (options: TableOptions) => void;
}

const checks = [
  { name: 'wrap', label: 'Wrap text', title: 'Long texts on several lines' },
  { name: 'exact', label: 'Exact values', title: 'All digits of numbers, and times in UTC with microseconds' },
  { name: 'relative', label: 'Relative times', title: 'How long ago a time is, when the rows were computed' },
  { name: 'totals', label: 'Totals', title: 'The sums of quantities, durations and bytes of the rows that are shown' },
] as const;

export function TableOptionsForm({ columns, options, onChange }: TableOptionsFormProps) {
  return (
    <div className="table-options row medium">
      {checks.map(({ name, label, title }) => (
        <label key={name} className="check row" title={title}>
          <input
            type="checkbox"
            checked={options[name] ?? false}
            onChange={(event) => onChange({ ...options, [name]: event.target.checked })}
          />
          {label}
        </label>
      ))}
      {columns.some(({ type }) => isNumeric(type)) ? <ColumnRoles {...{ columns, options, onChange }} /> : null}
    </div>
  );
}

/** The roles of the columns with numbers: what they are, and whether that is a guess. Each can be changed. */
function ColumnRoles({ columns, options, onChange }: TableOptionsFormProps) {
  const chosen = options.roles ?? {};
  const choose = (name: string, role: Role | undefined): void => {
    const { [name]: _, ...others } = chosen;
    onChange({ ...options, roles: role === undefined ? others : { ...others, [name]: role } });
  };
  return (
    <details className="column-roles">
      <summary>Columns</summary>
      <ul className="column-list box">
        {columns
          .filter(({ type }) => isNumeric(type))
          .map((column) => (
            <li key={column.name}>
              <label className="row">
                <code className="truncate">{column.name}</code>
                <select
                  value={chosen[column.name] ?? ''}
                  onChange={(event) =>
                    choose(
                      column.name,
                      roles.find((role) => role === event.target.value),
                    )
                  }
                >
                  <option value="">{describeRole(roleOf(column))}</option>
                  {roles.map((role) => (
                    <option key={role} value={role}>
                      {role}
                    </option>
                  ))}
                </select>
              </label>
            </li>
          ))}
      </ul>
    </details>
  );
}
