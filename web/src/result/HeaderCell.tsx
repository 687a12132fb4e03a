import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { leastWidth } from './widths';

interface HeaderCellProps {
  name: string;
  type: string;
  /** What the values are, in words; empty if there is nothing to say. */
  role: string;
  numeric: boolean;
  /** The order, if the rows are sorted by this column. */
  order: { descending: boolean } | null;
  /** In pixels. */
  width: number;
  onSort: () => void;
  onResize: (width: number) => void;
}

/** How much a key changes the width, in pixels. */
const keyStep = 24;

/** The header of a column: a button that sorts, and whose Shift and arrow keys resize, as dragging its edge does. */
export function HeaderCell({ name, type, role, numeric, order, width, onSort, onResize }: HeaderCellProps) {
  const began = useRef<{ x: number; width: number } | null>(null);
  const resize = (wanted: number): void => onResize(Math.max(leastWidth, Math.round(wanted)));
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key];
    if (!event.shiftKey || step === undefined) return;
    event.preventDefault();
    resize(width + step);
  };
  const grab = (event: PointerEvent): void => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    // A table that is narrower than its frame is stretched.
    const shown = event.currentTarget.parentElement?.clientWidth ?? width;
    began.current = { x: event.clientX, width: shown };
  };
  const drag = (event: PointerEvent): void => {
    if (began.current !== null) resize(began.current.width + event.clientX - began.current.x);
  };
  return (
    <th
      scope="col"
      className={numeric ? 'numeric' : undefined}
      aria-sort={order === null ? undefined : order.descending ? 'descending' : 'ascending'}
    >
      <button
        type="button"
        className="sort"
        title={`${name} (${[type, role].filter(Boolean).join(': ')}): sort. Shift and ← or → resize.`}
        aria-keyshortcuts="Shift+ArrowLeft Shift+ArrowRight"
        onClick={onSort}
        onKeyDown={press}
      >
        <span className="truncate">{name}</span>
      </button>
      <span
        className="resizer"
        aria-hidden="true"
        onPointerDown={grab}
        onPointerMove={drag}
        onPointerUp={() => {
          began.current = null;
        }}
      />
    </th>
  );
}
