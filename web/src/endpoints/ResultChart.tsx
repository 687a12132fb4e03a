import { useMemo } from 'react';
import type { Json } from '../api/json';
import { useLiking } from '../app/preferences';
import { Explorer, type Reading } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import { Lines } from '../chart/Lines';
import { rangeScale } from '../chart/range';
import { formatCompact, formatCount, formatNumber } from '../ui/numbers';
import type { Endpoint } from './rest';
import { type ResultFrame, resultSeries } from './resultSeries';

/** The colours of lines, in order. */
const tones = ['ok', 'p99', 'storage', 'p95', 'auth', 'realtime', 'error', 'min'];

const height = 220;

interface ResultChartProps {
  endpoint: Endpoint;
  rows: readonly { [column: string]: Json }[];
}

/** Rows as lines over their time column. It is the default export, because it is loaded when it is first shown. */
export default function ResultChart({ endpoint, rows }: ResultChartProps) {
  const { zone } = useLiking();
  const { starts, widthMs, frames, notes } = useMemo(() => {
    const set = resultSeries(endpoint.columns, rows);
    return { ...set, frames: set.frames.map(drawn) };
  }, [endpoint, rows]);
  if (starts.length === 0) return <p className="muted">No row has a time.</p>;
  const read = (index: number): { readings: Reading[] } => ({
    readings: frames.flatMap(({ lines, prefix, format }) =>
      lines.map(({ name, tone, values }): Reading => {
        const value = values[index] ?? null;
        return { name: prefix + name, value: value === null ? '–' : format(value), tone, mark: 'line' };
      }),
    ),
  });
  return (
    <>
      <Explorer label={`Rows of ${endpoint.name} by time`} {...{ starts, widthMs, zone, read }}>
        {(plot, cursor) =>
          frames.map(({ title, lines, scale }, index) => (
            <Frame
              // biome-ignore lint/suspicious/noArrayIndexKey: frames have no identity.
              key={index}
              title={title}
              legend={lines.map(({ name, tone }) => ({ name, tone, mark: 'line' }))}
              plot={plot(height)}
              {...{ starts, widthMs, zone, cursor, scale }}
              partial={[]}
              format={formatCompact}
            >
              <Lines plot={plot(height)} series={lines} scale={scale} />
            </Frame>
          ))
        }
      </Explorer>
      {notes.map((note) => (
        <p key={note} className="muted small">
          {note}
        </p>
      ))}
    </>
  );
}

/** A frame with its colours and its scale. */
function drawn({ title, whole, series }: ResultFrame, _index: number, frames: ResultFrame[]) {
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const least = values.reduce((a, b) => Math.min(a, b), 0);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const isSplit = frames.some(
    (other) => other.series !== series && other.series.some(({ name }) => name === series[0]?.name),
  );
  return {
    title,
    // The same names in several charts need the name of theirs in the tooltip.
    prefix: isSplit ? `${title} ` : '',
    lines: series.map((one, index) => ({ ...one, tone: tones[index % tones.length] ?? 'ok' })),
    scale: rangeScale(least, most, whole),
    format: whole ? formatCount : formatNumber,
  };
}
