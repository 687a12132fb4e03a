/** The kind of a token, which sets its colour. */
export type TokenKind = 'keyword' | 'function' | 'parameter' | 'string' | 'number' | 'comment' | 'other';

export interface Token {
  kind: TokenKind;
  text: string;
}

const keywords = new Set(
  `all and any array as asc between by case cast cross current date datetime day desc distinct else end except
  exists extract false filter first following for from full group having hour if in inner intersect interval
  into is join lateral last left like limit minute month natural not null nulls offset on or order outer over
  partition preceding qualify range recursive right row rows second select semi struct then timestamp true
  unbounded union unnest using values week when where window with within year`.split(/\s+/),
);

/** Comments, texts, quoted names, parameters, numbers, words, and whatever else, one at a time. */
const patternWith = (parameter: string): RegExp =>
  new RegExp(
    String.raw`(?<comment>--[^\n]*|/\*[^]*?(?:\*/|$))|(?<string>'(?:[^'\\]|\\.|'')*'?)|(?<quoted>"[^"]*"?|\`[^\`]*\`?)|(?<parameter>${parameter})|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>[A-Za-z_]\w*)|(?<other>\s+|.)`,
    'gy',
  );
const pattern = patternWith(String.raw`[$@][A-Za-z_]\w*`);
/** ClickHouse's parameters are such as {name:Type}. */
const clickHouse = patternWith(String.raw`\{[A-Za-z_]\w*:[^}]*\}`);

/** Splits SQL of a dialect into tokens, without loss. */
export function tokenise(sql: string, dialect = ''): Token[] {
  return Array.from(sql.matchAll(dialect === 'clickhouse' ? clickHouse : pattern), (match): Token => {
    const [text] = match;
    const [group = 'other'] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (group === 'word') return { kind: kindOfWord(text, sql, match.index), text };
    return { kind: group === 'quoted' ? 'other' : (group as TokenKind), text };
  });
}

function kindOfWord(word: string, sql: string, index: number): TokenKind {
  if (sql[index - 1] === '.') return 'other'; // A column.
  if (keywords.has(word.toLowerCase())) return 'keyword';
  return sql[index + word.length] === '(' ? 'function' : 'other';
}
