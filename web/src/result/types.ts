import { asObject, type Json } from '../api/json';

/** A row of a result. */
export type Row = { [column: string]: Json };

/** A column of a result, or a field of a STRUCT. */
export interface ResultColumn {
  name: string;
  type: string;
  /** What the values are, as the saved query declares it. */
  role?: string | null;
  /** The fields of a STRUCT, or of the elements of an ARRAY of them. */
  fields?: readonly ResultColumn[];
}

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

/** A column, or a field inside of structs, such as place.point.lat. */
export interface Leaf {
  name: string;
  type: string;
  read: (row: Row) => Json;
}

/** The columns, with the fields of structs instead of the structs. */
export function leavesOf(columns: readonly ResultColumn[]): Leaf[] {
  return columns.flatMap((column) => leaves(column, column.name, (row) => row[column.name] ?? null));
}

function leaves({ type, fields = [] }: ResultColumn, name: string, read: Leaf['read']): Leaf[] {
  if (type !== 'STRUCT' || fields.length === 0) return [{ name, type, read }];
  return fields.flatMap((field) =>
    leaves(field, `${name}.${field.name}`, (row) => asObject(read(row))?.[field.name] ?? null),
  );
}
