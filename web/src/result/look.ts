import type { View } from '../app/routes';
import type { Look } from '../endpoints/address';
import type { RowOrder } from './order';
import type { Axes } from './plan';
import { type Arrangement, arrangements, type Shape, shapes } from './style';

/** Changes a part of how rows are shown; an empty text is the default. */
export type ChangeLook = (part: Look) => void;

export const viewOf = (look: Look): View => (look.view === 'chart' ? 'chart' : 'table');

export const shapeOf = (look: Look): Shape => shapes.find(({ value }) => value === look.shape)?.value ?? 'lines';

export const arrangementOf = (look: Look): Arrangement =>
  arrangements.find(({ value }) => value === look.arrangement)?.value ?? 'side';

/** The columns that were chosen for a chart. */
export function axesOf({ x = '', y = '', series = '' }: Look): Axes {
  return { x, y: y === '' ? [] : y.split(','), series };
}

/** How values are scaled. */
export type Scale = 'linear' | 'log';

export const scales: readonly { value: Scale; label: string }[] = [
  { value: 'linear', label: 'Linear' },
  { value: 'log', label: 'Log' },
];

export const scaleOf = ({ scale }: Look): Scale => (scale === 'log' ? 'log' : 'linear');

/** The order of rows, such as "-errors" for the largest first. */
export function orderOf({ sort = '' }: Look): RowOrder {
  const descending = sort.startsWith('-');
  return sort === '' ? null : { column: descending ? sort.slice(1) : sort, descending };
}

export function orderText(order: RowOrder): string {
  return order === null ? '' : `${order.descending ? '-' : ''}${order.column}`;
}

/** The positions of the buckets of a zoom, from one to another; null without one, or if it has no bucket. */
export function zoomOf({ zoom = '' }: Look, starts: readonly Date[]): [from: number, to: number] | null {
  if (zoom === '') return null;
  const [first = Number.NaN, last = Number.NaN] = zoom.split('~').map((time) => Date.parse(time));
  const from = starts.findIndex((start) => start.getTime() >= first);
  const to = starts.findLastIndex((start) => start.getTime() <= last);
  return from < 0 || to <= from ? null : [from, to];
}

/** The zoom to the buckets from one to another. */
export function zoomText(from: Date, to: Date): string {
  return `${from.toISOString()}~${to.toISOString()}`;
}
