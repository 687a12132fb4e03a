import { clickHouse, type Dialect, parametersOf, shownParameter, writtenParameters } from './dialect';
import type { Members, Schema, Table } from './schema';

/** Something that can be inserted, in the form of the editor's library. */
export interface Option {
  label: string;
  type: 'keyword' | 'class' | 'property' | 'namespace' | 'function' | 'variable' | 'constant';
  detail?: string;
  info?: string;
  apply?: string;
}

/** What can be inserted at a place, in place of what begins at from. */
export interface Options {
  from: number;
  options: Option[];
  /** What can be typed on while the options stay the same; a word if it is absent. */
  validFor?: RegExp;
}

const common = (
  'SELECT|FROM|WHERE|GROUP BY|ORDER BY|HAVING|LIMIT|WITH|AS|JOIN|LEFT JOIN|CROSS JOIN|ON|USING|AND|OR|NOT|IN|BETWEEN|LIKE|' +
  'IS NULL|CASE|WHEN|THEN|ELSE|END|DISTINCT|UNION ALL|EXISTS|INTERVAL|TRUE|FALSE|ASC|DESC|MINUTE|HOUR|DAY'
).split('|');
const keywordsOf = (dialect: Dialect): string[] => [
  ...common,
  ...(dialect === clickHouse
    ? 'PREWHERE|ARRAY JOIN|ILIKE|REGEXP'
    : 'UNNEST|TIMESTAMP|DATE|QUALIFY|OVER|PARTITION BY'
  ).split('|'),
];

/** Returns what can be inserted at an offset of SQL; null if nothing was begun there and it is not wanted. */
export function complete(
  { sql, dialect }: { sql: string; dialect: Dialect },
  offset: number,
  schema: Schema,
  wanted: boolean,
): Options | null {
  const before = sql.slice(0, offset);
  if (dialect === clickHouse) {
    const found = quotedOptions(before, sql.slice(offset), schema);
    if (found !== null) return found;
  }
  const [parameter] = /[@${]\w*$/.exec(before) ?? [];
  if (parameter?.startsWith(dialect.prefix))
    return parameterOptions(sql, offset - parameter.length, offset, dialect, schema);
  const path = /(\w+)\.(\w*)$/.exec(before);
  if (path !== null) {
    const [, name = '', begun = ''] = path;
    return { from: offset - begun.length, options: optionsOf(sourcesOf(sql, schema).get(name.toLowerCase())) };
  }
  const [begun = ''] = /\w*$/.exec(before) ?? [];
  if (begun === '' && !wanted) return null;
  return { from: offset - begun.length, options: everything(sql, schema, dialect) };
}

function parameterOptions(sql: string, from: number, to: number, dialect: Dialect, schema: Schema): Options {
  const others = sql.slice(0, from) + sql.slice(to);
  if (dialect !== clickHouse) {
    const names = new Set([...schema.parameters, ...parametersOf(others, dialect)]);
    return { from, options: [...names].map((name) => ({ label: shownParameter(name, dialect), type: 'variable' })) };
  }
  const end = sql.startsWith('}', to) ? '' : '}';
  const names = new Set(writtenParameters(others, dialect));
  return {
    from: from + 1,
    options: [...names].map((label) => ({ label, type: 'variable', apply: label + end })),
  };
}

/** What can be within the quotes that ClickHouse's SQL has open: the path of an attribute, or a value of a column. */
function quotedOptions(before: string, after: string, schema: Schema): Options | null {
  const close = (end: string): string => (after.startsWith("'") ? '' : end);
  const [, path] = /\blog_attributes\[\s*'([\w.-]*)$/.exec(before) ?? [];
  if (path !== undefined) {
    const paths = new Set(schema.tables.flatMap(({ members }) => pathsIn(members ?? {}, '')));
    return {
      from: before.length - path.length,
      options: [...paths].map((label) => ({ label, type: 'namespace', apply: label + close("']") })),
      validFor: /^[\w.-]*$/,
    };
  }
  const [, column = '', begun = ''] = /\b(\w+)\s*(?:!?=|<>|\bIN\s*\((?:[^()]*,)?)\s*'(\w*)$/i.exec(before) ?? [];
  const values = schema.tables.flatMap(({ columns }) => columns.find(({ name }) => name === column)?.values ?? []);
  if (values.length === 0) return null;
  const options = values.map(
    (label): Option => ({ label, type: 'constant', detail: column, apply: label + close("'") }),
  );
  return { from: before.length - begun.length, options };
}

/** The paths to all members without others in them. */
function pathsIn(members: Members, prefix: string): string[] {
  return Object.entries(members).flatMap(([name, inner]) =>
    Object.keys(inner).length === 0 ? [prefix + name] : pathsIn(inner, `${prefix}${name}.`),
  );
}

/** A name in FROM: a table, or an element of metadata. */
type Source = { table: Table } | { members: Members };

function optionsOf(source: Source | undefined): Option[] {
  if (source === undefined) return [];
  if ('table' in source) return columnOptions(source.table);
  return Object.entries(source.members).map(([label, inner]) => ({
    label,
    type: 'property',
    ...(Object.keys(inner).length > 0 ? { detail: 'ARRAY<STRUCT>' } : {}),
  }));
}

function columnOptions({ name, columns }: Table): Option[] {
  return columns.map(({ name: label, type, description }) => ({
    label,
    type: 'property',
    detail: type,
    info: plain(description ?? `Column of ${name}.`),
  }));
}

function everything(sql: string, schema: Schema, dialect: Dialect): Option[] {
  const sources = sourcesOf(sql, schema);
  const named = schema.tables.filter((table) =>
    [...sources.values()].some((source) => 'table' in source && source.table === table),
  );
  const columns = (named.length > 0 ? named : schema.tables.slice(0, 1)).flatMap(columnOptions);
  const tables = new Set(schema.tables.map(({ name }) => name));
  const aliases = [...sources.keys()].filter((name) => !tables.has(name));
  const keywords = keywordsOf(dialect);
  const functions = schema.functions.filter(({ name }) => !keywords.includes(name.toUpperCase()));
  return [
    ...uniqueByLabel(columns),
    ...aliases.map((label): Option => ({ label, type: 'variable', detail: 'alias' })),
    ...schema.tables.map(
      ({ name, description }): Option => ({ label: name, type: 'class', detail: 'table', info: description }),
    ),
    ...uniqueByLabel(
      functions.map(
        ({ name, constants = '', params, result = '', note = '' }): Option => ({
          label: name,
          type: 'function',
          detail: `${constants === '' ? '' : `(${constants})`}(${params})${result === '' ? '' : ` → ${result}`}`,
          apply: `${name}(`,
          ...(note === '' ? {} : { info: plain(note) }),
        }),
      ),
    ),
    ...keywords.map((label): Option => ({ label, type: 'keyword' })),
  ];
}

/** A text of the documentation without its quotes around code. */
function plain(text: string): string {
  return text.replaceAll('`', '');
}

function uniqueByLabel(options: Option[]): Option[] {
  return [...new Map(options.map((option) => [option.label, option])).values()];
}

/** A table in FROM, with its alias. */
const inFrom =
  /\b(?:FROM|JOIN)\s+`?(\w+)`?(?:\s+(?:AS\s+)?(?!(?:WHERE|CROSS|LEFT|RIGHT|INNER|FULL|JOIN|ON|USING|GROUP|ORDER|HAVING|LIMIT|UNION|QUALIFY|WINDOW|PREWHERE|ARRAY)\b)(\w+))?/gi;

/** The names in FROM, in lower case, with what they stand for. */
export function sourcesOf(sql: string, schema: Schema): Map<string, Source> {
  const sources = new Map<string, Source>();
  for (const [, name = '', alias = ''] of sql.matchAll(inFrom)) {
    const table = schema.tables.find((other) => other.name === name.toLowerCase());
    if (table === undefined) continue;
    sources.set(table.name, { table });
    if (alias !== '') sources.set(alias.toLowerCase(), { table });
  }
  const ofTables = [...sources.values()].flatMap((source) => ('table' in source ? [source.table.members ?? {}] : []));
  const metadata: Members = Object.assign({}, ...ofTables);
  for (const [, path = '', alias = ''] of sql.matchAll(/\bUNNEST\(\s*([\w.]+)\s*\)\s+(?:AS\s+)?(\w+)/gi)) {
    const [first = '', ...others] = path.split('.');
    const from = sources.get(first.toLowerCase());
    const last = others.at(-1) ?? '';
    if (path === 'metadata' || last === 'metadata') sources.set(alias.toLowerCase(), { members: metadata });
    else if (from !== undefined && 'members' in from)
      sources.set(alias.toLowerCase(), { members: from.members[last] ?? {} });
  }
  return sources;
}
