/** Any JSON value; a whole number beyond 2^53 is a bigint, which keeps its digits. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };

interface ReviverContext {
  /** The source text of the value; browsers before 2025 do not pass it. */
  source?: string;
}

/** Parses JSON. Large integers keep their digits if the browser supports it. */
export function parseJson(text: string): Json {
  const reviver = (_key: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    /^-?\d+$/.test(context.source)
      ? BigInt(context.source)
      : value;
  return JSON.parse(text, reviver) as Json;
}

/** Writes a value as indented JSON text, bigints with all their digits. */
export function formatJson(value: Json, indent = ''): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((item) => inner + formatJson(item, inner))
    : Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${formatJson(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}

/** Writes a value on one line, for a cell of a table. */
export function compactJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return Array.isArray(value)
    ? `[${value.map(compactJson).join(',')}]`
    : `{${Object.entries(value)
        .map(([key, item]) => `${JSON.stringify(key)}:${compactJson(item)}`)
        .join(',')}}`;
}

/** Returns the value if it is an object, or null. */
export function asObject(value: Json | undefined): { [key: string]: Json } | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null;
}
