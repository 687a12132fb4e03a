import type { CSSProperties } from 'react';

/** The colour, dashes and weight of a series, as custom properties of its element. */
export function toneStyle(tone: string): CSSProperties {
  return {
    '--tone': `var(--series-${tone})`,
    '--dash': `var(--dash-${tone}, none)`,
    '--weight': `var(--weight-${tone}, 1.6)`,
  } as CSSProperties;
}
