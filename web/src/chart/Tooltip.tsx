import { toneStyle } from './tone';

/** A line of the tooltip. */
export interface Reading {
  name: string;
  value: string;
  tone?: string;
  mark?: 'column' | 'line';
}

interface TooltipProps {
  /** The middle of what it is about, and the width of the chart. */
  x: number;
  width: number;
  /** The distance from the top of the chart; by default the distance in the style sheet. */
  top?: number;
  title: string;
  note?: string;
  readings: Reading[];
}

/** What a chart shows of a bucket or a bar. It is the default export, because it is loaded when it is first shown. */
export default function Tooltip({ x, width, top, title, note, readings }: TooltipProps) {
  return (
    <div
      className="tooltip box small"
      style={top === undefined ? tooltipPlace(x, width) : { ...tooltipPlace(x, width), top }}
    >
      <p className="truncate">
        <strong>{title}</strong>
      </p>
      {note === undefined ? null : <p className="tooltip-note muted">{note}</p>}
      <dl>
        {readings.map((reading) => (
          <div
            key={reading.name}
            className="head row"
            style={reading.tone === undefined ? undefined : toneStyle(reading.tone)}
          >
            <dt className="key muted">
              <svg width="14" height="10" aria-hidden="true">
                {reading.mark === 'column' ? <rect className="chart-fill" x="2" width="10" height="10" rx="2" /> : null}
                {reading.mark === 'line' ? <path className="chart-line" d="M0 5H14" /> : null}
              </svg>
              {reading.name}
            </dt>
            <dd>{reading.value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The width of a tooltip, in pixels. */
const tooltipWidth = 200;
/** How far a tooltip stands from the middle of its bucket, in pixels. */
const beside = 14;

/** Beside the bucket, on the side with more room, and within the chart. */
function tooltipPlace(x: number, width: number): { left: number; width: number } {
  const left = x < width / 2 ? x + beside : x - beside - tooltipWidth;
  return { left: Math.max(0, Math.min(left, width - tooltipWidth)), width: tooltipWidth };
}
