import type { Token } from '../sql';

const keywords = new Set(
  `as async await break case const defer else err export for from func function if import in interface let map
  mutation new nil None null package query range return string struct throw true false type var with while`.split(
    /\s+/,
  ),
);

/** Comments, texts, variables of a shell, numbers, words, and whatever else, one at a time. A "#" begins a comment only in its own word. */
const pattern =
  /(?<comment>(?<![:\w])\/\/[^\n]*)|(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)|(?<parameter>\$[A-Za-z_]\w*|(?<=\s)--?[a-z][\w-]*)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>[A-Za-z_]\w*)|(?<other>\s+|.)/gy;

/** Splits code of the languages of the snippets into tokens, without loss. */
export function tokeniseCode(code: string): Token[] {
  return Array.from(code.matchAll(pattern), (match): Token => {
    const [text] = match;
    const [group = 'other'] = Object.entries(match.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    if (group !== 'word') return { kind: group as Token['kind'], text };
    if (keywords.has(text)) return { kind: 'keyword', text };
    return { kind: code[match.index + text.length] === '(' ? 'function' : 'other', text };
  });
}
