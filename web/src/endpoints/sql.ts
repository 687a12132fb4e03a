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
const pattern =
  /(?<comment>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<string>'(?:[^'\\]|\\.|'')*'?)|(?<quoted>"[^"]*"?|`[^`]*`?)|(?<parameter>[$@][A-Za-z_]\w*)|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>[A-Za-z_]\w*)|(?<other>\s+|.)/gy;

/** Splits SQL of both dialects into tokens, without loss. */
export function tokenise(sql: string): Token[] {
  const tokens: Token[] = [];
  for (const match of sql.matchAll(pattern)) {
    const { comment, string, parameter, number, word } = match.groups ?? {};
    const text = match[0];
    if (comment !== undefined) tokens.push({ kind: 'comment', text });
    else if (string !== undefined) tokens.push({ kind: 'string', text });
    else if (parameter !== undefined) tokens.push({ kind: 'parameter', text });
    else if (number !== undefined) tokens.push({ kind: 'number', text });
    else if (word !== undefined) tokens.push({ kind: kindOfWord(word, sql, match.index), text });
    else tokens.push({ kind: 'other', text });
  }
  return tokens;
}

function kindOfWord(word: string, sql: string, index: number): TokenKind {
  const isCalled = sql[index + word.length] === '(';
  const isColumn = sql[index - 1] === '.';
  if (isColumn) return 'other';
  if (keywords.has(word.toLowerCase())) {
    // A word such as count or first is a function only where it is called as one.
    return 'keyword';
  }
  return isCalled ? 'function' : 'other';
}
