import { useMemo } from 'react';
import { useLiking } from '../app/preferences';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import { heightOf, middle } from '../chart/geometry';
import type { LegendEntry } from '../chart/Legend';
import { Lines } from '../chart/Lines';
import { formatNumber } from '../ui/numbers';
import type { Point } from './alerts';
import { scaleOf } from './scale';

interface PointsChartProps {
  title: string;
  points: readonly Point[];
  measured: string;
  threshold: number | null;
  /** Which points stand out. */
  isMarked?: (point: Point, index: number) => boolean;
}

const outcomes = { met: 'met', unmet: 'not met', no_data: 'no data', failed: 'the check failed' };

/** What checks measured, beside the condition. It is the default export, because it is loaded when it is first shown. */
export default function PointsChart({ title, points, measured, threshold, isMarked = isMet }: PointsChartProps) {
  const { zone } = useLiking();
  const { starts, values, scale, legend } = useMemo(() => {
    const values = points.map(({ value }) => value);
    const legend: LegendEntry[] = [{ name: measured, tone: 'avg', mark: 'line' }];
    return { starts: points.map(({ at }) => new Date(at)), values, scale: scaleOf(values, threshold), legend };
  }, [points, measured, threshold]);
  const series = useMemo(() => [{ name: measured, tone: 'avg', values }], [measured, values]);
  return (
    <Explorer
      label={`${measured} of ${title} at each check`}
      starts={starts}
      widthMs={0}
      zone={zone}
      read={(index) => ({
        readings: [
          { name: measured, value: numberText(values[index] ?? null), tone: 'avg', mark: 'line' },
          { name: 'Condition', value: outcomes[points[index]?.outcome ?? 'failed'] },
        ],
      })}
    >
      {(plotOf, cursor) => {
        const plot = plotOf(140);
        const bottom = plot.top + plot.height;
        const step = plot.width / plot.count;
        return (
          <Frame
            title=""
            legend={legend}
            plot={plot}
            widthMs={0}
            format={formatNumber}
            partial={[]}
            {...{ starts, zone, scale, cursor }}
          >
            {points.map((point, index) =>
              isMarked(point, index) ? (
                <rect
                  key={point.at}
                  className="alert-met"
                  x={middle(plot, index) - step / 2}
                  y={plot.top}
                  width={Math.max(1, step)}
                  height={plot.height}
                />
              ) : null,
            )}
            <Lines plot={plot} series={series} scale={scale} />
            {threshold === null ? null : (
              <line
                className="alert-threshold"
                x1={plot.left}
                x2={plot.left + plot.width}
                y1={bottom - heightOf(plot, threshold, scale)}
                y2={bottom - heightOf(plot, threshold, scale)}
              />
            )}
          </Frame>
        );
      }}
    </Explorer>
  );
}

function isMet({ outcome }: Point): boolean {
  return outcome === 'met';
}

function numberText(value: number | null): string {
  return value === null ? '–' : formatNumber(value);
}
