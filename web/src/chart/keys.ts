/** How far each key moves the cursor. */
const steps: { [key: string]: number } = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** The bucket or bar that a key leads to: null for none, undefined for another key. */
export function move(key: string, cursor: number | null, count: number): number | null | undefined {
  if (key === 'Escape') return null;
  const step = steps[key];
  return step === undefined ? undefined : Math.max(0, Math.min(count - 1, (cursor ?? count) + step));
}
