import { toneStyle } from './tone';

/** An entry of a legend. */
export interface LegendEntry {
  name: string;
  tone: string;
  mark: 'column' | 'hatched' | 'line' | 'partial';
}

/** Explains the colours, hatches and dashes of a chart. */
export function Legend({ entries }: { entries: LegendEntry[] }) {
  return (
    <ul className="legend row muted small">
      {entries.map((entry) => (
        <li key={entry.name} className="key" style={toneStyle(entry.tone)}>
          <svg width="18" height="12" aria-hidden="true">
            <Mark mark={entry.mark} />
          </svg>
          {entry.name}
        </li>
      ))}
    </ul>
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
