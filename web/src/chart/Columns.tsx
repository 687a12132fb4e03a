import { memo, useId } from 'react';
import { all, type Choose, columnsPath, type Part, type Plot } from './geometry';
import type { ValueScale } from './ticks';
import { toneStyle } from './tone';

/** A part of each column, from the bottom up. */
export interface ColumnSeries {
  name: string;
  /** Names the colour, as in the style sheet. */
  tone: string;
  hatched?: boolean;
  values: readonly (number | null)[];
}

interface ColumnsProps {
  plot: Plot;
  series: ColumnSeries[];
  partial: boolean[];
  scale: ValueScale;
  /** Chooses the columns that are drawn, by their heights. */
  choose?: Choose;
}

/** Stacked columns. Those of partial buckets are lighter. */
export const Columns = memo(function Columns({ plot, series, partial, scale, choose = all }: ColumnsProps) {
  const id = useId();
  const below = new Array<number>(plot.count).fill(0);
  const heights = below.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const positions = choose(plot, heights);
  return series.map((one, order) => {
    const parts = positions.map((index): Part => {
      const value = one.values[index] ?? 0;
      const part = { index, below: below[index] ?? 0, value };
      below[index] = part.below + value;
      return part;
    });
    const whole = parts.filter((part) => !partial[part.index]);
    const rest = parts.filter((part) => partial[part.index]);
    const hatch = `${id}${order}`;
    const fill = one.hatched ? undefined : 'chart-fill';
    return (
      <g key={one.name} style={toneStyle(one.tone)} data-series={one.name}>
        {one.hatched ? (
          <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect className="chart-fill" width="5" height="5" />
            <rect className="chart-hatch" width="1.6" height="5" />
          </pattern>
        ) : null}
        {[whole, rest].map((some, index) => (
          <path
            key={index === 0 ? 'whole' : 'partial'}
            className={fill}
            opacity={index === 0 ? undefined : 0.5}
            d={columnsPath(plot, some, scale, 1)}
            {...(one.hatched ? { fill: `url(#${hatch})` } : {})}
          />
        ))}
      </g>
    );
  });
});
