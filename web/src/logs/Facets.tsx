import type { LogsState } from '../app/routes';
import { formatCount } from '../ui/numbers';

interface FacetsProps {
  rows: readonly { facet: string; value: string; count: number }[];
  state: LogsState;
  onChange: (part: Partial<LogsState>) => void;
}

const facets = [
  { name: 'source', label: 'Sources' },
  { name: 'status', label: 'Statuses' },
  { name: 'method', label: 'Methods' },
] as const;

/** How many values a facet shows. */
const most = 9;

/** The values of the matching entries. Choosing one filters by it, and choosing it again does not. */
export function Facets({ rows, state, onChange }: FacetsProps) {
  return (
    <div className="facets">
      {facets.map(({ name, label }) => {
        const values = rows.filter(({ facet, value }) => facet === name && value !== '').slice(0, most);
        return values.length === 0 ? null : (
          <section key={name} className="row" aria-label={label}>
            <h2 className="label">{label}</h2>
            {values.map(({ value, count }) => {
              const chosen = state[name] === value;
              return (
                <button
                  key={value}
                  type="button"
                  className="button facet"
                  aria-pressed={chosen}
                  onClick={() => onChange({ [name]: chosen ? '' : value })}
                >
                  {name === 'source' ? value.replace('_logs', '') : value}{' '}
                  <span className="muted numeric">{formatCount(count)}</span>
                </button>
              );
            })}
          </section>
        );
      })}
    </div>
  );
}
