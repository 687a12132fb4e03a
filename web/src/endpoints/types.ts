/** The type of the elements of an array, such as STRING of ARRAY<STRING>; null for another type. */
export function elementOf(type: string): string | null {
  return /^ARRAY<(.*)>$/.exec(type)?.[1] ?? null;
}

/** The type inside of all arrays, such as STRUCT of ARRAY<ARRAY<STRUCT>>. */
export function innermostOf(type: string): string {
  const element = elementOf(type);
  return element === null ? type : innermostOf(element);
}

export const isNumeric = (type: string): boolean => ['INT64', 'FLOAT64', 'NUMERIC'].includes(type);

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);

/** The first column with times; undefined if there is none. */
export function timeColumn<Column extends { type: string }>(columns: readonly Column[]): Column | undefined {
  return columns.find(({ type }) => timeTypes.has(type));
}

/** Reports whether rows with these columns can be drawn over time. */
export function canChart(columns: readonly { type: string }[]): boolean {
  return timeColumn(columns) !== undefined && columns.some(({ type }) => isNumeric(type));
}
