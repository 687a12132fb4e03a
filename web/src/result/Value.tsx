import { useState } from 'react';
import { asObject, compactJson, type Json } from '../api/json';
import type { Zone } from '../time/format';
import { type Look, shortened } from './format';
import { elementOf, type ResultColumn } from './types';

interface ValueProps {
  value: Json;
  /** The type of the value: the type of the column, or of an element of its array. */
  type: string;
  /** Where the value is; undefined inside of JSON. */
  column: ResultColumn | undefined;
  /** Whether times and numbers are shown with all their digits. */
  exact: boolean;
  zone: Zone;
  /** When the rows were received: times of its year are shown without the year. */
  now: Date;
  /** How the values of the column are written; undefined for parts of a value. */
  look?: Look | undefined;
}

/** A value of a column. What has parts is a tree. */
export function Value(props: ValueProps) {
  const { value, type, exact, zone, now, look } = props;
  if (value === null) return <em className="muted">null</em>;
  if (value === '') return <em className="muted">empty string</em>;
  const rounded = shortened(value, type, zone, now, look);
  if (rounded !== null) {
    const title = type === 'TIMESTAMP' ? `${rounded.exact} (${compactJson(value)} µs)` : rounded.exact;
    return (
      <span title={title} data-exact={rounded.exact}>
        {exact ? rounded.exact : rounded.short}
      </span>
    );
  }
  if (typeof value === 'object') return <Parts {...props} />;
  return <>{typeof value === 'string' ? value : compactJson(value)}</>;
}

/** Up to this many characters, a list of plain values is shown without a tree. */
const mostInline = 48;

/** How many parts are shown at first, so that the page stays fast. */
const mostParts = 200;

/** A list or an object: closed at first, and its parts when it is opened. */
function Parts({ value, type, column, exact, zone, now }: ValueProps) {
  const [open, setOpen] = useState(false);
  const list = Array.isArray(value) ? value : null;
  const parts: [string, Json][] =
    list === null ? Object.entries(asObject(value) ?? {}) : list.map((item, index) => [String(index), item]);
  if (parts.length === 0) return <em className="muted">{list === null ? 'empty object' : 'empty list'}</em>;
  const compact = compactJson(value);
  if (list?.every((item) => item === null || typeof item !== 'object') && compact.length <= mostInline) {
    return <span className="mono small">{compact}</span>;
  }
  const element = elementOf(type) ?? 'JSON';
  return (
    <details className="value-tree" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className="muted small">{countOf(parts.length, list !== null)}</span>{' '}
        <span className="preview truncate mono small" data-exact={compact}>
          {compact}
        </span>
      </summary>
      <ul className="mono">
        {(open ? parts.slice(0, mostParts) : []).map(([name, part]) => {
          const field = list === null ? column?.fields?.find((one) => one.name === name) : column;
          const partType = list === null ? (field?.type ?? 'JSON') : element;
          return (
            <li key={name}>
              <span className="part-name">{name}</span>{' '}
              <Value value={part} type={partType} column={field} {...{ exact, zone, now }} />
            </li>
          );
        })}
        {parts.length > mostParts ? <li className="muted">and {parts.length - mostParts} more</li> : null}
      </ul>
    </details>
  );
}

function countOf(count: number, isList: boolean): string {
  if (isList) return count === 1 ? '1 item' : `${count} items`;
  return count === 1 ? '1 field' : `${count} fields`;
}
