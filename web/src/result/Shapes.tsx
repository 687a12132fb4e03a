import { memo } from 'react';
import { Columns } from '../chart/Columns';
import type { Plot } from '../chart/geometry';
import { Lines } from '../chart/Lines';
import { toneStyle } from '../chart/tone';
import { areaPath, groupedPath } from './paths';
import { type DrawnFrame, floors, type Shape } from './style';
import { visible } from './visible';

interface ShapesProps {
  shape: Shape;
  frame: DrawnFrame;
  plot: Plot;
  partial: boolean[];
}

/** The series of a chart in their shape, which are drawn once while the cursor moves. */
export const Shapes = memo(function Shapes({ shape, frame, plot, partial }: ShapesProps) {
  const { scale, stacked } = frame;
  const series = frame.series.filter((one) => !one.hidden);
  if (shape === 'lines') return <Lines plot={plot} series={series} scale={scale} choose={visible} />;
  if (shape === 'areas') return <Areas plot={plot} frame={frame} />;
  if (stacked) return <Columns plot={plot} series={series} partial={partial} scale={scale} choose={visible} />;
  return series.map((one, index) => (
    <g key={one.name} style={toneStyle(one.tone)} data-series={one.name}>
      {[false, true].map((rest) => (
        <path
          key={String(rest)}
          className="chart-fill"
          opacity={rest ? 0.5 : undefined}
          d={groupedPath(
            plot,
            one.values,
            visible(plot, one.values).filter((at) => partial[at] === rest),
            scale,
            { index, count: series.length },
          )}
        />
      ))}
    </g>
  ));
});

/** Lines that are filled down to zero, or to the line below them if they are stacked. */
function Areas({ plot, frame }: { plot: Plot; frame: DrawnFrame }) {
  const { scale, stacked } = frame;
  const series = frame.series.filter((one) => !one.hidden);
  const lower = floors(series, stacked);
  const upper = series.map(({ values }, order) =>
    stacked ? values.map((value, index) => (value ?? 0) + (lower[order]?.[index] ?? 0)) : values,
  );
  return (
    <>
      {series.map(({ name, tone }, order) => (
        <path
          key={name}
          style={toneStyle(tone)}
          className="chart-area"
          d={areaPath(plot, lower[order] ?? [], upper[order] ?? [], scale)}
        />
      ))}
      <Lines
        plot={plot}
        series={series.map((one, order) => ({ ...one, values: upper[order] ?? [] }))}
        scale={scale}
        choose={visible}
      />
    </>
  );
}
