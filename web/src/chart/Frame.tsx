import { memo, type ReactNode } from 'react';
import type { Zone } from '../time/format';
import { columnWidth, heightOf, middle, type Plot } from './geometry';
import { Legend, type LegendEntry } from './Legend';
import { distinctLabels } from './range';
import { timeTicks, type ValueScale } from './ticks';

interface FrameProps {
  /** Empty for none. */
  title: string;
  legend: LegendEntry[];
  /** Shows or hides an entry of the legend. */
  onToggle?: (name: string) => void;
  /** Beside the legend. */
  control?: ReactNode;
  plot: Plot;
  starts: Date[];
  widthMs: number;
  zone: Zone;
  scale: ValueScale;
  format: (value: number) => string;
  /** Buckets that are counted only in part. */
  partial: boolean[];
  /** The bucket under the cursor. */
  cursor: number | null;
  children: ReactNode;
}

/** Room for the labels of the time axis, in pixels. */
const axisHeight = 24;
/** The least distance between two of them, in pixels: the longest, such as "16:05:30", has about 50. */
const labelDistance = 66;

/** A chart with its heading, its legend, its axes, its partial buckets, and the cursor. */
export function Frame(props: FrameProps) {
  const { plot, starts, widthMs, zone, scale, format, partial, cursor } = props;
  const bottom = plot.top + plot.height;
  return (
    <figure>
      <figcaption className="chart-head row">
        {props.title === '' ? null : <h2>{props.title}</h2>}
        <Legend entries={props.legend} onToggle={props.onToggle} />
        {props.control}
      </figcaption>
      <svg className="chart" width={plot.left + plot.width} height={bottom + axisHeight} aria-hidden="true">
        <Axes {...{ plot, starts, widthMs, zone, scale, format, partial }} />
        {cursor === null ? null : (
          <rect
            fill="var(--text)"
            opacity="0.08"
            x={middle(plot, cursor) - Math.max(columnWidth(plot) + 4, 5) / 2}
            y={plot.top}
            width={Math.max(columnWidth(plot) + 4, 5)}
            height={plot.height}
          />
        )}
        {props.children}
      </svg>
    </figure>
  );
}

type AxesProps = Pick<FrameProps, 'plot' | 'starts' | 'widthMs' | 'zone' | 'scale' | 'format' | 'partial'>;

/** The axes and the partial buckets, which are drawn once while the cursor moves. */
const Axes = memo(function Axes({ plot, starts, widthMs, zone, scale, format, partial }: AxesProps) {
  const bottom = plot.top + plot.height;
  const bucket = plot.width / plot.count;
  const most = Math.max(2, Math.floor(plot.width / labelDistance));
  const label = distinctLabels(scale.ticks, format);
  return (
    <>
      {[...partial.keys()]
        .filter((index) => partial[index])
        .map((index) => (
          <rect
            key={index}
            className="chart-partial"
            x={middle(plot, index) - Math.max(bucket, 6) / 2}
            y={plot.top}
            width={Math.max(bucket, 6)}
            height={plot.height}
          />
        ))}
      {scale.ticks.map((tick) => {
        const y = Math.round(bottom - heightOf(plot, tick, scale)) + 0.5;
        return (
          <g key={tick}>
            <line
              stroke={tick === scale.ticks[0] ? 'var(--line-strong)' : 'var(--line)'}
              x1={plot.left}
              x2={plot.left + plot.width}
              y1={y}
              y2={y}
            />
            <text className="chart-label" x={plot.left - 8} y={y} textAnchor="end" dominantBaseline="middle">
              {label(tick)}
            </text>
          </g>
        );
      })}
      {timeTicks(starts, widthMs, most, zone).map((tick) => {
        const x = middle(plot, tick.index);
        // A label at the rim would be cut off.
        const anchor = x + 24 > plot.left + plot.width ? 'end' : x - 24 < 0 ? 'start' : 'middle';
        return (
          <text
            key={tick.index}
            className="chart-label"
            x={anchor === 'end' ? plot.left + plot.width : x}
            y={bottom + 17}
            textAnchor={anchor}
          >
            {tick.label}
          </text>
        );
      })}
    </>
  );
});
