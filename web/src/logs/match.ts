import { asObject, type Json } from '../api/json';
import { lineOf } from './entry';
import { Filter, filteredTexts, patternOf } from './filter';
import type { LogEntry } from './loaded';
import { type Term, wordsOf } from './query';

/** Reports whether an entry is shown. */
export type Keeps = (entry: LogEntry) => boolean;

/** Keeps entries that have the words, as the rows that the page has loaded are filtered. */
export function wordsFilter(terms: readonly Term[]): Keeps {
  const filter = new Filter(wordsOf(terms));
  return (entry) => filter.matches(filteredTexts(entry));
}

/** Keeps entries for which one term of each field holds, and no exclusion, as the parameter "filters" does. */
export function fieldsFilter(terms: readonly Term[]): Keeps {
  const rules = terms
    .filter(({ field, excluded }) => field !== '' || excluded)
    .map((term) => ({ key: `${term.excluded ? '-' : ''}${term.field}`, holds: ruleOf(term) }));
  return (entry) => {
    const held = new Map<string, boolean>();
    for (const { key, holds } of rules) held.set(key, held.get(key) === true || holds(entry));
    return [...held].every(([key, value]) => value !== key.startsWith('-'));
  };
}

/** Reports whether a term holds for an entry, without its exclusion. Patterns are compiled once. */
function ruleOf({ field, value }: Term): Keeps {
  switch (field) {
    case '': {
      const pattern = patternOf(value);
      return ({ eventMessage }) => eventMessage !== null && eventMessage.search(pattern) >= 0;
    }
    case 'source':
      return (entry) => entry.source === value;
    case 'status':
      return (entry) => {
        const { status } = lineOf(entry);
        return status !== null && (String(status) === value || `${String(status)[0]}xx` === value);
      };
    case 'method':
      return (entry) => lineOf(entry).method === value;
    case 'path':
      return (entry) => lineOf(entry).path.startsWith(value);
    case 'level':
      return (entry) => lineOf(entry).level.toLowerCase() === value.toLowerCase();
    case 'id':
      return (entry) => entry.id === value || entry.eventId === value;
    default:
      return (entry) => hasMember(entry.metadata as Json, field.slice('metadata.'.length), value);
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
