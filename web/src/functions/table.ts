import type { FunctionRow } from '../app/lists';
import { formatCount, formatMilliseconds, formatShare } from '../ui/numbers';

/** A number of each function. */
export interface FunctionColumn {
  name: string;
  /** The column in addresses. */
  slug: string;
  /** Null where the function has none. */
  value: (row: FunctionRow) => number | null;
  format: (value: number, row: FunctionRow) => string;
}

/** The columns between the id and the time of the last invocation. */
export const numberColumns: readonly FunctionColumn[] = [
  { name: 'Invocations', slug: 'invocations', value: (row) => row.invocations, format: formatCount },
  { name: 'Errors', slug: 'errors', value: (row) => row.errors, format: formatCount },
  {
    name: 'Error rate',
    slug: 'rate',
    value: (row) => row.errors / row.invocations,
    format: (_, row) => formatShare(row.errors, row.invocations),
  },
  { name: 'p95', slug: 'p95', value: (row) => row.p95ExecutionTime, format: formatMilliseconds },
];

/** The order of the rows. */
export interface Order {
  slug: string;
  descending: boolean;
}

const usual: Order = { slug: 'invocations', descending: true };

const slugs = ['function', ...numberColumns.map(({ slug }) => slug), 'seen'];

/** Reads an order such as "-errors"; any other text is the usual order. */
export function parseOrder(text: string): Order {
  const descending = text.startsWith('-');
  const slug = descending ? text.slice(1) : text;
  return slugs.includes(slug) ? { slug, descending } : usual;
}

/** Writes the order after a click on a header: reversed, or by a new column. */
export function nextOrder({ slug, descending }: Order, clicked: string): string {
  // Numbers and times begin with the largest, names with the first.
  const down = slug === clicked ? !descending : clicked !== 'function';
  return down && clicked === usual.slug ? '' : `${down ? '-' : ''}${clicked}`;
}

/** Sorts the rows. Those without a value are last in both directions, and equal ones stay in order. */
export function sorted(rows: readonly FunctionRow[], { slug, descending }: Order): FunctionRow[] {
  const read = valueBy(slug);
  const sign = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [read(a), read(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left === right ? 0 : left < right ? -sign : sign;
  });
}

function valueBy(slug: string): (row: FunctionRow) => string | number | null {
  if (slug === 'function') return (row) => row.functionId;
  if (slug === 'seen') return (row) => Date.parse(row.lastSeen);
  return numberColumns.find((column) => column.slug === slug)?.value ?? (() => null);
}
