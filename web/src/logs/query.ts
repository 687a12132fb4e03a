/** A filter of the bar: a value of a field, or a word of the message, whose field is empty. */
export interface Term {
  field: string;
  value: string;
  /** Whether entries with the value are left out. */
  excluded: boolean;
}

/** What the filter bar says. */
export interface Query {
  terms: Term[];
  /** What is wrong, for people; its terms are left out. */
  problem: string | null;
}

/** The fields of the bar. The last one stands for all members of the metadata. */
export const fields = ['source', 'status', 'method', 'level', 'path', 'id', 'metadata.'] as const;

const known = 'The fields are source, status, method, level, path, id and metadata.NAME.';

/** A token: a minus, a field, and a value or a word, which may be quoted. */
const token = /(-?)(?:([\w.*]+):)?("(?:[^"\\]|\\.)*"?|\S*)/y;

/** A quoted text. */
const quoted = /^"(?:[^"\\]|\\.)*"$/;

/** Parses the text of the bar, such as `timeout status:5xx -source:auth_logs`. */
export function parseQuery(text: string): Query {
  const terms: Term[] = [];
  const problems: string[] = [];
  for (const { field, raw, minus } of tokensOf(text)) {
    const term = { field, value: unquote(raw), excluded: minus };
    const problem = problemOf(term, raw);
    if (problem === null) terms.push(term.field === 'status' ? { ...term, value: term.value.toLowerCase() } : term);
    else problems.push(problem);
  }
  return { terms, problem: problems[0] ?? null };
}

interface Token {
  field: string;
  raw: string;
  minus: boolean;
  start: number;
  end: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? '')) {
      at++;
      continue;
    }
    token.lastIndex = at;
    const [whole = '', minus = '', field = '', raw = ''] = token.exec(text) ?? [];
    const end = at + Math.max(1, whole.length);
    // A lone minus is a word, such as in "a - b".
    const lone = minus === '-' && field === '' && raw === '';
    tokens.push({ field, raw: lone ? '-' : raw, minus: minus === '-' && !lone, start: at, end });
    at = end;
  }
  return tokens;
}

function problemOf({ field, value, excluded }: Term, raw: string): string | null {
  if (raw.startsWith('"') && !quoted.test(raw)) return 'A quote is not closed.';
  if (field === '') return excluded && value === '' ? 'Give a word after the minus, such as -timeout.' : null;
  if (!isField(field)) return `There is no field "${field}". ${known} Quote text that has a colon.`;
  // Each path begins with an empty one.
  if (value === '' && (raw === '' || field === 'path'))
    return `Give ${field} a value, such as ${examples[field] ?? `${field}:value`}.`;
  if (field === 'status' && !/^[1-9](\d\d|xx)$/i.test(value)) {
    return 'Use a status such as 404, or a class such as 5xx.';
  }
  return null;
}

const examples: { [field: string]: string } = {
  source: 'source:edge_logs',
  status: 'status:5xx',
  method: 'method:GET',
  level: 'level:error',
  path: 'path:/rest',
};

function isField(field: string): boolean {
  return /^metadata\.[^.:]+$/.test(field) || (field !== 'metadata.' && (fields as readonly string[]).includes(field));
}

function unquote(raw: string): string {
  if (!raw.startsWith('"')) return raw;
  return raw.slice(1, quoted.test(raw) ? -1 : undefined).replaceAll(/\\(.)/g, '$1');
}

/** Writes a value so that it is read as one. */
function quote(value: string, isWord: boolean): string {
  const plain = value !== '' && !/[\s"]/.test(value) && !(isWord && /^-|:/.test(value));
  return plain ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function formatTerm({ field, value, excluded }: Term): string {
  return `${excluded ? '-' : ''}${field === '' ? '' : `${field}:`}${quote(value, field === '')}`;
}

const isSame = (a: Term, b: Term): boolean => a.field === b.field && a.value === b.value && a.excluded === b.excluded;

/** Adds a term to a text, or removes it. A value that is included is not excluded, and the other way round. */
export function toggleTerm(text: string, term: Term): string {
  const { terms } = parseQuery(text);
  const others = terms.filter((other) => !(other.field === term.field && other.value === term.value));
  const added = terms.some((other) => isSame(other, term)) ? [] : [term];
  return [...others, ...added].map(formatTerm).join(' ');
}

/** The words of the bar, which the message has one after another, without those that it must not have. */
export function wordsOf(terms: readonly Term[]): string {
  return terms.flatMap(({ field, value, excluded }) => (field === '' && !excluded ? [value] : [])).join(' ');
}

/** The other terms, as the parameter "filters" has them. An excluded word is one of the message. */
export function filtersOf(terms: readonly Term[]): string[] {
  return terms.flatMap(({ field, value, excluded }) => {
    if (excluded) return [`-${field || 'message'}:${value}`];
    return field === '' ? [] : [`${field}:${value}`];
  });
}

/** A known value of a field, and how many entries have it; null if that is not known. */
export interface KnownValue {
  value: string;
  count: number | null;
}

/** A text that completes what is being typed, and the part of the text that it replaces. */
export interface Completion {
  label: string;
  /** What a field is. */
  help: string;
  /** How many entries have a value; null if it is not known, or for a field. */
  count: number | null;
  start: number;
  end: number;
  text: string;
}

/** What is known of the entries that are searched. */
export interface Known {
  /** The values of a field. */
  valuesOf: (field: string) => readonly KnownValue[];
  /** The names of the members of the metadata. */
  members: readonly string[];
}

/** How many completions are offered. */
const mostCompletions = 10;

/** What each field is, for people. */
const helps: { [field: string]: string } = {
  source: 'The table of the log, such as auth_logs',
  status: 'A status such as 404, or a class such as 5xx',
  method: 'The method of the request',
  level: 'How serious it is',
  path: 'How the path of the request begins',
  id: 'The id of an event',
  'metadata.': 'A member of the metadata, at any depth',
};

/** The completions at a place: fields, or values of a field, as they are known. */
export function completionsAt(text: string, caret: number, { valuesOf, members }: Known): Completion[] {
  const typed = tokensOf(text).find(({ start, end }) => start < caret && caret <= end);
  const from = typed?.start ?? caret;
  const end = typed?.end ?? caret;
  const minus = typed?.minus === true ? '-' : '';
  if (typed === undefined || typed.field === '') {
    const begun = typed?.raw.toLowerCase() ?? '';
    const own = members.map((name) => `metadata.${name}`);
    const offered = begun.startsWith('metadata.') ? own : fields;
    return offered
      .filter((field) => field.toLowerCase().startsWith(begun) && (begun !== '' || typed === undefined || typed.minus))
      .slice(0, mostCompletions)
      .map((field) => {
        const label = minus + (field === 'metadata.' ? field : `${field}:`);
        return { label, help: helps[field] ?? '', count: null, start: from, end, text: label };
      });
  }
  const begun = unquote(typed.raw).toLowerCase();
  return valuesOf(typed.field)
    .filter(({ value }) => value.toLowerCase().includes(begun) && value.toLowerCase() !== begun)
    .slice(0, mostCompletions)
    .map(({ value, count }) => ({
      label: value,
      help: '',
      count,
      start: from,
      end,
      text: `${formatTerm({ field: typed.field, value, excluded: typed.minus })} `,
    }));
}
