import { useCallback, useMemo } from 'react';
import { useLiking } from '../app/preferences';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import type { LegendEntry } from '../chart/Legend';
import type { Reading } from '../chart/Tooltip';
import type { Look } from '../endpoints/address';
import { formatCompact } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import { Skeleton } from '../ui/states';
import { arrangementOf, type ChangeLook, type Scale, scaleOf, scales, shapeOf, zoomOf, zoomText } from './look';
import { Notes } from './Notes';
import type { Plan } from './plan';
import { Shapes } from './Shapes';
import { type ResultFrame, type ResultSeriesSet, resultSteps } from './series';
import { useSteps } from './steps';
import { type Arrangement, arrangements, drawn, type Shape, shapes, unfinished } from './style';
import type { Row } from './types';

const height = 220;

interface TimeChartProps {
  plan: Extract<Plan, { kind: 'time' }>;
  caption: string;
  rows: readonly Row[];
  asOf: Date;
  /** The names of series that are not drawn. */
  hidden: ReadonlySet<string>;
  onToggle: (name: string) => void;
  look: Look;
  onLook: ChangeLook;
}

/** Rows over their time column, as lines, areas or columns. A drag zooms. */
export function TimeChart({ plan, caption, rows, asOf, hidden, onToggle, look, onLook }: TimeChartProps) {
  const begin = useCallback(() => resultSteps(plan, rows), [plan, rows]);
  const whole = useSteps(begin);
  return whole === null ? (
    <Skeleton label="Drawing the chart" height="chart" />
  ) : (
    <DrawnChart {...{ whole, plan, caption, asOf, hidden, onToggle, look, onLook }} />
  );
}

/** A chart of series. */
function DrawnChart(props: Omit<TimeChartProps, 'rows'> & { whole: ResultSeriesSet }) {
  const { whole, plan, caption, asOf, hidden, onToggle, look, onLook } = props;
  const { zone } = useLiking();
  const shape = shapeOf(look);
  const arrangement = arrangementOf(look);
  const scale = scaleOf(look);
  const zoom = zoomOf(look, whole.starts);
  const [from, to] = zoom ?? [0, whole.starts.length - 1];
  const { widthMs } = whole;
  const shown = useMemo(() => {
    const part = whole.frames.map((frame) => partOf(frame, from, to));
    const starts = whole.starts.slice(from, to + 1);
    return {
      starts,
      partial: unfinished(starts, whole.widthMs, asOf),
      frames: drawn(part, shape === 'lines' ? 'side' : arrangement, hidden, scale),
    };
  }, [whole, from, to, shape, arrangement, hidden, asOf, scale]);
  const { starts, partial, frames } = shown;
  if (starts.length === 0) return <p className="muted">No row has a time.</p>;
  const mark = shape === 'lines' ? 'line' : 'column';
  const read = (index: number): { note?: string; readings: Reading[] } => {
    const readings = frames.flatMap(({ series, prefix, stacked, format }): Reading[] => {
      const seen = series.filter((one) => !one.hidden);
      const lines = seen.map(({ name, tone, values }): Reading => {
        const value = values[index] ?? null;
        return { name: prefix + name, value: value === null ? '–' : format(value), tone, mark };
      });
      const total = seen.reduce((sum, { values }) => sum + (values[index] ?? 0), 0);
      return stacked && seen.length > 1 ? [...lines, { name: `${prefix}Total`, value: format(total) }] : lines;
    });
    return partial[index] ? { note: 'In progress', readings } : { readings };
  };
  const select = (first: number, last: number): void => {
    const [start, end] = [starts[first], starts[last]];
    if (first < last && start !== undefined && end !== undefined) onLook({ zoom: zoomText(start, end) });
  };
  const inProgress: LegendEntry[] = partial.includes(true)
    ? [{ name: 'In progress', tone: 'muted', mark: 'partial' }]
    : [];
  return (
    <>
      <div className="row">
        <Segmented label="Shape" choices={shapes} value={shape} onChange={(chosen) => onLook({ shape: chosen })} />
        {shape === 'lines' ? null : (
          <Segmented
            label="Arrangement"
            choices={arrangements}
            value={arrangement}
            onChange={(chosen) => onLook({ arrangement: chosen })}
          />
        )}
        <Segmented
          label="Scale"
          choices={scales}
          value={scale}
          onChange={(chosen) => onLook({ scale: chosen === 'linear' ? '' : chosen })}
        />
        {zoom === null ? (
          <span className="muted small">
            Drag to zoom<span className="zoom-keys">, or press Shift with ← or → and then Enter</span>.
          </span>
        ) : (
          <button type="button" className="button" onClick={() => onLook({ zoom: '' })}>
            Reset zoom
          </button>
        )}
      </div>
      <Explorer label={`${caption} by time`} {...{ starts, widthMs, zone, read }} onSelect={select}>
        {(plot, cursor) =>
          frames.map((frame, index) => (
            <Frame
              // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity.
              key={index}
              title={frame.title}
              legend={[
                ...frame.series.map(({ name, tone, hidden }) => ({ name, tone, mark, hidden }) as const),
                ...inProgress,
              ]}
              onToggle={onToggle}
              plot={plot(height)}
              {...{ starts, widthMs, zone, cursor, partial }}
              scale={frame.scale}
              format={formatCompact}
            >
              <Shapes shape={shape} frame={frame} plot={plot(height)} partial={partial} />
            </Frame>
          ))
        }
      </Explorer>
      <Notes notes={[...whole.notes, ...plan.notes, ...unstacked(arrangement, shape, scale, frames)]} />
    </>
  );
}

function partOf(frame: ResultFrame, from: number, to: number): ResultFrame {
  return { ...frame, series: frame.series.map((one) => ({ ...one, values: one.values.slice(from, to + 1) })) };
}

function unstacked(
  arrangement: Arrangement,
  shape: Shape,
  scale: Scale,
  frames: readonly { stacked: boolean; least: number }[],
): string[] {
  const isLog = scale === 'log' && frames.every(({ least }) => least >= 0);
  if (scale === 'log' && !isLog) return ['Values below zero have no place on a logarithmic scale.'];
  if (isLog) return arrangement === 'stacked' && shape !== 'lines' ? ['A logarithmic scale is not stacked.'] : [];
  const all = frames.every(({ stacked }) => stacked);
  return arrangement === 'side' || shape === 'lines' || all ? [] : ['Values below zero are not stacked.'];
}
