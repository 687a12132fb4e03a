import { elementOf } from '../../result/types';
import { type Arguments, type Column, type Endpoint, restPath, sentArguments } from '../rest';
import type { Server } from './server';

/** The types of values as REST sends them (D13). */
const scalars: { [type: string]: string } = {
  STRING: 'string',
  INT64: 'number',
  FLOAT64: 'number',
  NUMERIC: 'number',
  BOOL: 'boolean',
  TIMESTAMP: 'number',
  DATETIME: 'string',
  DATE: 'string',
};

const notes: { [type: string]: string } = {
  TIMESTAMP: ' // microseconds since 1970',
  DATETIME: ' // UTC',
  NUMERIC: ' // rounded by JSON.parse; GraphQL sends the digits as a string',
};

/** TypeScript code that calls REST, with the type of the rows. */
export function typescriptSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const sent = sentArguments(endpoint, args);
  const headers = server.authenticated
    ? // biome-ignore lint/suspicious/noTemplateCurlyInString: the snippet has the template.
      ', {\n  headers: { Authorization: `Bearer ${process.env.SAVEDQ_TOKEN}` },\n}'
    : '';
  return [
    'type Row = {',
    ...members(endpoint.columns, '  '),
    '};',
    '',
    `const url = new URL(${JSON.stringify(server.origin + restPath(endpoint, {}))});`,
    ...sent.map(([name, value]) => `url.searchParams.append(${JSON.stringify(name)}, ${JSON.stringify(value)});`),
    '',
    `const response = await fetch(url${headers});`,
    'if (!response.ok) throw new Error(await response.text());',
    'const { result } = (await response.json()) as { result: Row[] };',
  ].join('\n');
}

function members(columns: readonly Column[], indent: string): string[] {
  return columns.map(
    (column) =>
      `${indent}${propertyName(column.name)}: ${typeOf(column, column.type, indent)};${notes[column.type] ?? ''}`,
  );
}

/** The type of a column, or of the elements of its array. An array is never null (D28), its elements can be. */
function typeOf(column: Column, type: string, indent: string): string {
  const element = elementOf(type);
  if (element !== null) {
    const inner = typeOf({ ...column, nullable: elementOf(element) === null }, element, indent);
    return inner.endsWith(' | null') ? `(${inner})[]` : `${inner}[]`;
  }
  const plain = plainType(column, type, indent);
  return column.nullable && plain !== 'unknown' ? `${plain} | null` : plain;
}

function plainType({ fields }: Column, type: string, indent: string): string {
  if (type !== 'STRUCT' || fields === undefined) return scalars[type] ?? 'unknown';
  return ['{', ...members(fields, `${indent}  `), `${indent}}`].join('\n');
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
