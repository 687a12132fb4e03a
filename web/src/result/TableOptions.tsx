/** How a table shows its values. */
export interface TableOptions {
  /** Whether long texts have several lines. */
  wrap: boolean;
  /** Whether times and numbers are shown with all their digits. */
  exact: boolean;
}

interface TableOptionsFormProps {
  options: TableOptions;
  onChange: (options: TableOptions) => void;
}

export function TableOptionsForm({ options, onChange }: TableOptionsFormProps) {
  return (
    <div className="table-options row medium">
      <label className="check row">
        <input
          type="checkbox"
          checked={options.wrap}
          onChange={(event) => onChange({ ...options, wrap: event.target.checked })}
        />
        Wrap text
      </label>
      <label className="check row" title="All digits of numbers, and times in UTC with microseconds">
        <input
          type="checkbox"
          checked={options.exact}
          onChange={(event) => onChange({ ...options, exact: event.target.checked })}
        />
        Exact values
      </label>
    </div>
  );
}
