/** A number that stands for a whole range. */
export interface Figure {
  name: string;
  /** Null while it is loading. */
  value: string | null;
  note?: string;
  tone?: string;
}

/** Numbers side by side. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className="figures">
      {figures.map(({ name, value, note, tone }) => (
        <div key={name} className={tone === undefined ? 'figure' : `figure tone-${tone}`}>
          <dt>{name}</dt>
          <dd>
            <span className={value === null ? 'figure-value pending' : 'figure-value'}>{value ?? '0'}</span>
            <span className="figure-note">{value === null ? '' : note}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
