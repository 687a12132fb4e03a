import { asObject, type Json } from '../api/json';
import { lineOf } from './entry';
import { Filter, filteredTexts, patternOf } from './filter';
import type { LogEntry } from './loaded';
import { type Term, wordsOf } from './query';

/** Reports whether an entry has the words, as the rows that the page has loaded are filtered. */
export function hasWords(terms: readonly Term[], entry: LogEntry): boolean {
  return new Filter(wordsOf(terms)).matches(filteredTexts(entry));
}

/** Reports whether one term of each field holds, and no exclusion, as the parameter "filters" does. */
export function hasFields(terms: readonly Term[], entry: LogEntry): boolean {
  const held = new Map<string, boolean>();
  for (const term of terms.filter(({ field, excluded }) => field !== '' || excluded)) {
    const key = `${term.excluded ? '-' : ''}${term.field}`;
    held.set(key, held.get(key) === true || holds(term, entry));
  }
  return [...held].every(([key, value]) => value !== key.startsWith('-'));
}

function holds({ field, value }: Term, entry: LogEntry): boolean {
  const { status, method, path, level } = lineOf(entry);
  switch (field) {
    case '':
      return entry.eventMessage !== null && patternOf(value).test(entry.eventMessage);
    case 'source':
      return entry.source === value;
    case 'status':
      return status !== null && (String(status) === value || `${String(status)[0]}xx` === value);
    case 'method':
      return method === value;
    case 'path':
      return path.startsWith(value);
    case 'level':
      return level.toLowerCase() === value.toLowerCase();
    case 'id':
      return entry.id === value || entry.eventId === value;
    default:
      return hasMember(entry.metadata as Json, field.slice('metadata.'.length), value);
  }
}

/** Reports whether an object at any depth has a member with a text; any member for the name "*". */
function hasMember(value: Json, name: string, text: string): boolean {
  if (Array.isArray(value)) return value.some((element) => hasMember(element, name, text));
  return Object.entries(asObject(value) ?? {}).some(
    ([key, member]) =>
      ((name === '*' || name === key) && typeof member !== 'object' && String(member) === text) ||
      hasMember(member, name, text),
  );
}
