import { toneStyle } from '../chart/tone';
import { CopyButton } from './CopyButton';

/** A number that summarises a time range. */
export interface Figure {
  name: string;
  /** The exact number; null if there is none, undefined while loading. */
  exact: number | null | undefined;
  /** Rounds the number. */
  format: (value: number) => string;
  note?: string;
  tone?: string;
}

/** Numbers side by side, rounded for reading and copied exactly. The caption names their time range. */
export function Figures({ caption, figures }: { caption: string; figures: Figure[] }) {
  return (
    <>
      <p className="caption muted small">{caption}</p>
      <dl className="figures box">
        {figures.map((figure) => (
          <FigureView key={figure.name} {...figure} />
        ))}
      </dl>
    </>
  );
}

function Swatch() {
  return (
    <svg width="10" height="10" aria-hidden="true">
      <rect className="chart-fill" width="10" height="10" rx="2" />
    </svg>
  );
}

function FigureView({ name, exact, format, note, tone }: Figure) {
  return (
    <div className="figure" style={tone === undefined ? undefined : toneStyle(tone)}>
      <dt className="key label">
        {tone === undefined ? null : <Swatch />}
        {name}
      </dt>
      <dd>
        <span className="figure-value">
          {exact === undefined || exact === null ? (
            '–'
          ) : (
            <data value={exact} title={String(exact)}>
              {format(exact)}
            </data>
          )}
        </span>
        {exact === undefined || exact === null ? null : (
          <CopyButton label={`Copy ${name}: ${exact}`} iconOnly text={() => String(exact)} />
        )}
      </dd>
      <dd className="muted small truncate">{exact === undefined ? '' : note}</dd>
    </div>
  );
}
