/** A custom range in an address, from one time to another. */
export function customRange(from: number, to: number): { range: 'custom'; start: string; end: string } {
  return { range: 'custom', start: isoOf(from), end: isoOf(to) };
}

/** A time in an address, without a fraction of zero. */
function isoOf(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
