import { heightOf, linePath, middle, type Plot } from '../chart/geometry';
import type { Alert } from './alerts';
import { scaleOf } from './scale';

const width = 96;
const height = 22;

/** The value over the last checks beside the condition, small. The details have the same, large. */
export function Sparkline({ points, threshold }: Pick<Alert, 'points' | 'threshold'>) {
  const values = points.map(({ value }) => value);
  if (values.filter((value) => value !== null).length < 2) return null;
  const plot: Plot = { left: 0, top: 2, width, height: height - 4, count: values.length };
  const scale = scaleOf(values, threshold);
  const bottom = plot.top + plot.height;
  return (
    <svg className="alert-spark" width={width} height={height} aria-hidden="true">
      {threshold === null ? null : (
        <line
          className="alert-threshold"
          x1="0"
          x2={width}
          y1={bottom - heightOf(plot, threshold, scale)}
          y2={bottom - heightOf(plot, threshold, scale)}
        />
      )}
      <path className="alert-spark-line" d={linePath(plot, values, [...values.keys()], scale)} />
      {points.map(({ at, outcome, value }, index) =>
        outcome !== 'met' || value === null || points[index - 1]?.outcome === 'met' ? null : (
          <circle
            key={at}
            className="alert-spark-met"
            cx={middle(plot, index)}
            cy={bottom - heightOf(plot, value, scale)}
            r="2"
          />
        ),
      )}
    </svg>
  );
}
