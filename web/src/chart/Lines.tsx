import { memo } from 'react';
import { all, type Choose, heightOf, linePath, markedPoints, middle, type Plot } from './geometry';
import type { ValueScale } from './ticks';
import { toneStyle } from './tone';

/** A line with its colour and dashes. */
export interface LineSeries {
  name: string;
  tone: string;
  values: (number | null)[];
}

interface LinesProps {
  plot: Plot;
  series: LineSeries[];
  scale: ValueScale;
  choose?: Choose;
}

/** Lines with gaps for nulls, and markers if there is room or if a value is isolated. */
export const Lines = memo(function Lines({ plot, series, scale, choose = all }: LinesProps) {
  const bottom = plot.top + plot.height;
  return series.map((one) => {
    const positions = choose(plot, one.values);
    return (
      <g key={one.name} style={toneStyle(one.tone)} data-series={one.name}>
        <path className="chart-line" d={linePath(plot, one.values, positions, scale)} />
        {markedPoints(plot, one.values, positions).map((index) => (
          <circle
            key={index}
            className="chart-fill chart-dot"
            cx={middle(plot, index)}
            cy={bottom - heightOf(plot, one.values[index] ?? 0, scale)}
            r="2.5"
          />
        ))}
      </g>
    );
  });
});
