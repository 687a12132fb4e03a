import { useState } from 'react';
import { ExcludeIcon } from '../ui/icons';
import { formatCount, formatRounded } from '../ui/numbers';
import { statusTone } from './entry';
import type { Term } from './query';
import { type FacetRow, facetFields } from './useOverview';

interface FacetsProps {
  rows: readonly FacetRow[];
  terms: readonly Term[];
  /** Whether the counts belong to another search. */
  outdated: boolean;
  onToggle: (term: Term) => void;
}

const labels: { [field in (typeof facetFields)[number]]: string } = {
  level: 'Level',
  status: 'Status',
  source: 'Source',
  method: 'Method',
};

/** How many values a facet shows at first. */
const few = 7;

/** The values of the matching entries by field. Each can be included or excluded, several of a field, too. */
export function Facets({ rows, terms, outdated, onToggle }: FacetsProps) {
  return (
    <section className={`facets sections small ${outdated ? 'previous' : ''}`} aria-label="Facets" aria-busy={outdated}>
      {facetFields.map((field) => {
        const counted = rows.filter(({ facet, value }) => facet === field && value !== '');
        // What is chosen stays, so that it can be taken back.
        const gone = terms.filter((term) => term.field === field && !counted.some(({ value }) => value === term.value));
        const values = [...counted, ...gone.map(({ value }) => ({ value, count: null }))];
        return values.length === 0 ? null : (
          <Facet key={field} field={field} values={values} terms={terms} onToggle={onToggle} />
        );
      })}
    </section>
  );
}

interface FacetProps extends Omit<FacetsProps, 'rows' | 'outdated'> {
  field: (typeof facetFields)[number];
  values: readonly { value: string; count: number | null }[];
}

function Facet({ field, values, terms, onToggle }: FacetProps) {
  const [all, setAll] = useState(false);
  const has = (value: string, excluded: boolean): boolean =>
    terms.some((term) => term.field === field && term.value === value && term.excluded === excluded);
  const shown = all
    ? values
    : values.filter(({ value }, index) => index < few || has(value, false) || has(value, true));
  return (
    <fieldset className="facet">
      <legend className="label">{labels[field]}</legend>
      {shown.map(({ value, count }) => (
        <div key={value} className="facet-value">
          <label className={has(value, true) ? 'facet-excluded' : undefined}>
            <input
              type="checkbox"
              checked={has(value, false)}
              onChange={() => onToggle({ field, value, excluded: false })}
            />
            <span className={`truncate ${field === 'status' ? statusTone(Number(value)) : ''}`} title={value}>
              {value}
            </span>
            <span className="muted numeric" title={count === null ? undefined : formatCount(count)}>
              {count === null ? '–' : formatRounded(count)}
            </span>
          </label>
          <button
            type="button"
            className="facet-exclude"
            aria-pressed={has(value, true)}
            aria-label={`Exclude ${labels[field].toLowerCase()} ${value}`}
            title={`Exclude ${value}`}
            onClick={() => onToggle({ field, value, excluded: true })}
          >
            <ExcludeIcon />
          </button>
        </div>
      ))}
      {values.length > few ? (
        <button type="button" className="facet-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? 'Fewer' : `${formatCount(values.length - few)} more`}
        </button>
      ) : null}
    </fieldset>
  );
}
