import { toneStyle } from './tone';

/** An entry of a legend. */
export interface LegendEntry {
  name: string;
  tone: string;
  mark: 'column' | 'hatched' | 'line' | 'partial';
  /** Whether it is not drawn. */
  hidden?: boolean;
}

interface LegendProps {
  entries: LegendEntry[];
  /** Shows or hides what an entry stands for; without it, entries only explain. */
  onToggle?: ((name: string) => void) | undefined;
}

/** Explains the colours, hatches and dashes of a chart. */
export function Legend({ entries, onToggle }: LegendProps) {
  return (
    <ul className="legend row muted small">
      {entries.map((entry) => (
        <li key={entry.name} className="key" style={toneStyle(entry.tone)}>
          {onToggle === undefined || entry.mark === 'partial' ? (
            <Entry {...entry} />
          ) : (
            <button
              type="button"
              className="key legend-toggle"
              aria-pressed={entry.hidden !== true}
              title={entry.hidden ? `Show ${entry.name}` : `Hide ${entry.name}`}
              onClick={() => onToggle(entry.name)}
            >
              <Entry {...entry} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Entry({ name, mark }: LegendEntry) {
  return (
    <>
      <svg width="18" height="12" aria-hidden="true">
        <Mark mark={mark} />
      </svg>
      {name}
    </>
  );
}

function Mark({ mark }: { mark: LegendEntry['mark'] }) {
  switch (mark) {
    case 'line':
      return <path className="chart-line" d="M0 6H18" />;
    case 'partial':
      return <rect className="chart-partial" x="3" y="0.5" width="12" height="11" />;
    case 'hatched':
      return (
        <>
          <rect className="chart-fill" x="3" width="12" height="12" rx="2" />
          <path className="chart-hatch" strokeWidth="1.6" d="M3 9 12 0M6 12 15 3" />
        </>
      );
    case 'column':
      return <rect className="chart-fill" x="3" width="12" height="12" rx="2" />;
  }
}
