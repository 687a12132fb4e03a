/** A value of a table as it was received. */
export type Exact = string | number | null;

/** Writes rows as CSV (RFC 4180), with every digit, for spreadsheets and scripts. */
export function csvOf(names: readonly string[], rows: readonly (readonly Exact[])[]): string {
  return [names, ...rows].map((row) => row.map(cellOf).join(',')).join('\n');
}

function cellOf(value: Exact): string {
  const text = value === null ? '' : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
