import type { Filter } from './filter';

/** Text with the matches of the filter highlighted. */
export function Marked({ text, filter }: { text: string; filter: Filter }) {
  if (filter.isEmpty) return text;
  let at = 0;
  return filter.split(text).map((part) => {
    at += part.text.length;
    return part.marked ? <mark key={at}>{part.text}</mark> : part.text;
  });
}
