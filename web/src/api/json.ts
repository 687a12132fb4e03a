/** A number with a fraction that has more digits than a double, such as a NUMERIC. */
export class Decimal {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** Any JSON value; a whole number beyond 2^53 is a bigint, which keeps its digits. */
export type Json = null | boolean | number | bigint | Decimal | string | Json[] | { [key: string]: Json };

interface ReviverContext {
  /** The source text of the value; browsers before 2025 do not pass it. */
  source?: string;
}

/** Numbers that can have more digits than a double. Those in strings can be among them. */
const longNumber = /(?<=[:,[\s])-?(?:\d[\d.]{15}[\d.]*|0\.0{6}\d*)/g;

/** Parses JSON. Numbers that are not exact as doubles keep their digits if the browser supports it. */
export function parseJson(text: string): Json {
  // A reviver is called for each value, which takes several times as long as the parser.
  const isRounded = (source: string): boolean => typeof exact(Number(source), source) !== 'number';
  if (!text.match(longNumber)?.some(isRounded)) return JSON.parse(text) as Json;
  const reviver = (_key: string, value: unknown, context?: ReviverContext): unknown =>
    typeof value === 'number' && context?.source !== undefined ? exact(value, context.source) : value;
  return JSON.parse(text, reviver) as Json;
}

/** A number as a type that has the digits of its source text. */
function exact(value: number, source: string): Json {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value) ? value : BigInt(source);
  return /^-?\d+\.\d+$/.test(source) && String(value) !== source.replace(/\.?0+$/, '') ? new Decimal(source) : value;
}

/** The digits of a number that has more than a double; null for another value. */
function digitsOf(value: Json): string | null {
  if (value instanceof Decimal) return value.digits;
  return typeof value === 'bigint' ? value.toString() : null;
}

/** Writes a value as indented JSON text, numbers with all their digits. */
export function formatJson(value: Json, indent = ''): string {
  const digits = digitsOf(value);
  if (digits !== null) return digits;
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
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return Array.isArray(value)
    ? `[${value.map(compactJson).join(',')}]`
    : `{${Object.entries(value)
        .map(([key, item]) => `${JSON.stringify(key)}:${compactJson(item)}`)
        .join(',')}}`;
}

/** Returns the value if it is an object, or null. */
export function asObject(value: Json | undefined): { [key: string]: Json } | null {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Decimal)
    ? value
    : null;
}
