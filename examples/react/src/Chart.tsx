/** A bucket of time. */
export interface Bucket {
  time: Date
  count: number
  errors: number
}

const WIDTH = 720
const HEIGHT = 240
/** The space for the labels of the axes. */
const LEFT = 36
const BOTTOM = 20

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** Returns the first of 2, 4, 10, 20, 40, 100, … that is at least a number, so that half of it is whole. */
function niceAbove(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [2, 4, 10, 20].map((step) => step * power).find((top) => top >= most) ?? most
}

/** A bar for each bucket, with its errors at the bottom. */
export function Chart({ buckets }: { buckets: Bucket[] }) {
  const top = niceAbove(Math.max(0, ...buckets.map(({ count }) => count)))
  const slot = (WIDTH - LEFT) / Math.max(1, buckets.length)
  const height = (count: number) => ((HEIGHT - BOTTOM) * count) / top
  const every = Math.ceil(buckets.length / 6)
  return (
    <svg viewBox={`0 -8 ${WIDTH} ${HEIGHT + 8}`} role="img" aria-label={`Invocations by time, at most ${top}`}>
      {[0, top / 2, top].map((count) => (
        <g key={count} transform={`translate(0 ${HEIGHT - BOTTOM - height(count)})`}>
          <line className="grid" x1={LEFT} x2={WIDTH} />
          <text x={LEFT - 6} dy="0.32em" textAnchor="end">{count}</text>
        </g>
      ))}
      {buckets.map(({ time, count, errors }, i) => (
        <g key={time.getTime()} transform={`translate(${LEFT + i * slot} ${HEIGHT - BOTTOM})`}>
          <title>{`${clock.format(time)}: ${count} invocations, ${errors} with errors`}</title>
          <rect className="count" y={-height(count)} width={0.8 * slot} height={height(count)} />
          <rect className="errors" y={-height(errors)} width={0.8 * slot} height={height(errors)} />
          {i % every === 0 && <text y={BOTTOM - 4} textAnchor="start">{clock.format(time)}</text>}
        </g>
      ))}
    </svg>
  )
}
