import { elementOf, innermostOf } from '../../result/types';
import { type Arguments, type Column, type Endpoint, restPath, sentArguments } from '../rest';
import type { Server } from './server';

/** The types of values as REST sends them (D13). */
const scalars: { [type: string]: string } = {
  STRING: 'string',
  INT64: 'int64',
  FLOAT64: 'float64',
  NUMERIC: 'json.Number',
  BOOL: 'bool',
  TIMESTAMP: 'int64',
  DATETIME: 'string',
  DATE: 'string',
};

/** A Go program that calls REST, with the type of the rows. */
export function goSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const sent = sentArguments(endpoint, args);
  const address = JSON.stringify(server.origin + restPath(endpoint, {}));
  const packages = ['encoding/json', 'fmt', 'io', 'log', 'net/http'];
  if (sent.length > 0) packages.push('net/url');
  if (server.authenticated) packages.push('os');
  return [
    'package main',
    '',
    'import (',
    ...packages.map((name) => `\t"${name}"`),
    ')',
    '',
    `// Row is a row of ${endpoint.name}. A TIMESTAMP is in microseconds since 1970.`,
    ...structOf('Row', endpoint.columns),
    '',
    'func main() {',
    ...(sent.length === 0 ? [] : ['\tparams := url.Values{}']),
    ...sent.map(([name, value]) => `\tparams.Add(${JSON.stringify(name)}, ${JSON.stringify(value)})`),
    `\trequest, err := http.NewRequest(http.MethodGet, ${address}${sent.length === 0 ? '' : '+"?"+params.Encode()'}, nil)`,
    ...check,
    ...(server.authenticated ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("SAVEDQ_TOKEN"))'] : []),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...check,
    '\tdefer response.Body.Close()',
    '\tif response.StatusCode != http.StatusOK {',
    '\t\tmessage, _ := io.ReadAll(response.Body)',
    '\t\tlog.Fatal(string(message))',
    '\t}',
    '\tvar body struct {',
    '\t\tResult []Row `json:"result"`',
    '\t}',
    '\tif err := json.NewDecoder(response.Body).Decode(&body); err != nil {',
    '\t\tlog.Fatal(err)',
    '\t}',
    '\tfmt.Println(len(body.Result), "rows")',
    '}',
  ].join('\n');
}

const check = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}'];

/** A struct type, and those of its columns that are structs, as gofmt formats them. */
function structOf(name: string, columns: readonly Column[]): string[] {
  const taken = new Set<string>();
  const fields = columns.map((column) => {
    const field = uniqueName(fieldName(column.name), taken);
    const inner = `${name}${field}`;
    return { column, field, inner, type: typeOf(column, column.type, inner), tag: `\`json:"${column.name}"\`` };
  });
  const widest = (widths: number[]): number => Math.max(0, ...widths);
  const fieldWidth = widest(fields.map(({ field }) => field.length));
  const typeWidth = widest(fields.map(({ type }) => type.length));
  return [
    `type ${name} struct {`,
    ...fields.map(({ field, type, tag }) => `\t${field.padEnd(fieldWidth)} ${type.padEnd(typeWidth)} ${tag}`),
    '}',
    ...fields.flatMap(({ column, inner }) => (isStruct(column) ? ['', ...structOf(inner, column.fields ?? [])] : [])),
  ];
}

function isStruct({ type, fields }: Column): boolean {
  return innermostOf(type) === 'STRUCT' && fields !== undefined;
}

/** The type of a column, or of the elements of its array. An array is never null (D28), its elements can be. */
function typeOf(column: Column, type: string, struct: string): string {
  const element = elementOf(type);
  if (element !== null) {
    return `[]${typeOf({ ...column, nullable: elementOf(element) === null }, element, struct)}`;
  }
  const plain = isStruct(column) ? struct : scalars[type];
  if (plain === undefined) return 'json.RawMessage';
  return column.nullable ? `*${plain}` : plain;
}

/** The name of an exported field. */
function fieldName(column: string): string {
  const name = column
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.slice(0, 1).toUpperCase() + part.slice(1))
    .join('');
  return /^[A-Z]/.test(name) ? name : `Column${name}`;
}

function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique); number++) unique = `${name}${number}`;
  taken.add(unique);
  return unique;
}
