import { type KeyboardEvent, type PointerEvent, useRef } from 'react';

interface SplitterProps {
  label: string;
  /** The height of the element before it, in pixels; null until it is chosen. */
  height: number | null;
  least: number;
  most: number;
  onChange: (height: number) => void;
}

/** How much a key changes the height, in pixels. */
const keyStep = 24;

/** A bar between two areas: dragging it, or the arrow keys, changes the height of the upper one. */
export function Splitter({ label, height, least, most, onChange }: SplitterProps) {
  const bar = useRef<HTMLDivElement>(null);
  const shown = (): number =>
    height ?? (bar.current?.previousElementSibling as HTMLElement | null)?.offsetHeight ?? least;
  const began = useRef<{ y: number; height: number } | null>(null);
  const resize = (wanted: number): void => onChange(Math.round(Math.min(most, Math.max(least, wanted))));
  const press = (event: KeyboardEvent): void => {
    const wanted = { ArrowUp: shown() - keyStep, ArrowDown: shown() + keyStep, Home: least, End: most }[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    resize(wanted);
  };
  const grab = (event: PointerEvent): void => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    began.current = { y: event.clientY, height: shown() };
  };
  const drag = (event: PointerEvent): void => {
    if (began.current !== null) resize(began.current.height + event.clientY - began.current.y);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved.
    <div
      ref={bar}
      className="splitter"
      role="separator"
      aria-orientation="horizontal"
      aria-label={label}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuenow={height ?? Math.round((least + most) / 2)}
      tabIndex={0}
      title="Drag, or press ↑ and ↓"
      onKeyDown={press}
      onPointerDown={grab}
      onPointerMove={drag}
      onPointerUp={() => {
        began.current = null;
      }}
    />
  );
}
