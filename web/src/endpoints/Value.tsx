import { useState } from 'react';
import { asObject, compactJson, Decimal, type Json } from '../api/json';
import { useLiking } from '../app/preferences';
import { formatFull } from '../time/format';
import { formatNumber } from '../ui/numbers';
import type { Column } from './rest';
import { elementOf } from './types';

interface ValueProps {
  value: Json;
  /** The type of the value: that of the column, or of an element of its array. */
  type: string;
  /** Where the value is; undefined inside of JSON. */
  column: Column | undefined;
}

/** A value of a column. What has parts is a tree. */
export function Value({ value, type, column }: ValueProps) {
  const { zone } = useLiking();
  if (value === null) return <em className="muted">null</em>;
  if (value === '') return <em className="muted">empty string</em>;
  if (value instanceof Decimal) return <>{value.digits}</>;
  if (typeof value === 'object') return <Parts value={value} type={type} column={column} />;
  if (typeof value === 'string') return <span className="cell truncate">{value}</span>;
  if (type === 'TIMESTAMP' && typeof value === 'number') {
    return (
      <span className="timestamp">
        {value} <span className="muted">{formatFull(new Date(value / 1000), zone)}</span>
      </span>
    );
  }
  if (type === 'FLOAT64' && typeof value === 'number') {
    return (
      <data value={value} title={String(value)}>
        {formatNumber(value)}
      </data>
    );
  }
  return <>{compactJson(value)}</>;
}

/** Up to this many characters, a list of plain values is shown without a tree. */
const mostInline = 48;

/** How many parts are shown at first, so that the page stays fast. */
const mostParts = 200;

/** A list or an object: closed at first, and its parts when it is opened. */
function Parts({ value, type, column }: ValueProps) {
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
        <span className="preview truncate mono small">{compact}</span>
      </summary>
      <ul className="mono">
        {(open ? parts.slice(0, mostParts) : []).map(([name, part]) => {
          const field = list === null ? column?.fields?.find((one) => one.name === name) : column;
          return (
            <li key={name}>
              <span className="part-name">{name}</span>{' '}
              <Value value={part} type={list === null ? (field?.type ?? 'JSON') : element} column={field} />
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
