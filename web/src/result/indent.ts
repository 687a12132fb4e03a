/** Indents JSON text. Its numbers keep their digits, and its keys their order, even those that are numbers. */
export function indentJson(text: string): string {
  let indent = '';
  // Strings, brackets with nothing in them, and what lines are broken at.
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[[\]{},:]|\s+/g, (part) => {
    if (/^\s/.test(part)) return '';
    if (part === '[' || part === '{') {
      indent += '  ';
      return `${part}\n${indent}`;
    }
    if (part === ']' || part === '}') {
      indent = indent.slice(2);
      return `\n${indent}${part}`;
    }
    if (part === ',') return `,\n${indent}`;
    return part === ':' ? ': ' : part;
  });
}
