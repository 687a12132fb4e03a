import { type FocusEvent, type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { useLiking } from '../app/preferences';
import { Field } from '../ui/Field';
import { zoneName } from './format';
import { isTime, parseTime, readTime, showTime } from './iso';
import type { TimeBounds } from './TimePicker';

interface CustomRangeProps {
  bounds: TimeBounds;
  custom: boolean;
  onApply: (bounds: TimeBounds) => void;
}

/** A button that names the custom range, and opens its fields. It is the default export, because few pages load it. */
export default function CustomRange({ bounds, custom, onApply }: CustomRangeProps) {
  const { zone } = useLiking();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const wrong = custom ? [bounds.start, bounds.end].find((text) => text !== '' && !isTime(text)) : undefined;
  const [from, to] = [showTime(bounds.start, zone), showTime(bounds.end, zone)];
  const day = from.slice(0, 'yyyy-mm-dd '.length);
  const named = `${from === '' ? 'Beginning' : from} – ${to === '' ? 'now' : to.startsWith(day) && day !== '' ? to.slice(day.length) : to}`;
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  const leave = (event: FocusEvent): void => {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && open) close();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it closes what is within it.
    <div className="time-custom" onBlur={leave} onKeyDown={press}>
      <button
        ref={button}
        type="button"
        className="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-chosen={custom}
        onClick={() => setOpen(!open)}
      >
        {custom && wrong === undefined ? `${named} ${zoneName(zone, parseTime(bounds.start) ?? new Date())}` : 'Custom'}
      </button>
      {wrong === undefined ? null : (
        <p className="field-problem" role="alert">
          “{wrong}” is not a time, such as 2026-11-24 04:00.
        </p>
      )}
      {open ? (
        <RangeFields
          id={id}
          bounds={bounds}
          onApply={(applied) => {
            close();
            onApply(applied);
          }}
        />
      ) : null}
    </div>
  );
}

interface RangeFieldsProps {
  id: string;
  bounds: TimeBounds;
  onApply: (bounds: TimeBounds) => void;
}

/** The fields of a custom range. They take effect on Apply. */
function RangeFields({ id, bounds, onApply }: RangeFieldsProps) {
  const { zone } = useLiking();
  // As in an address, or as typed: a time stays the same in another zone.
  const [draft, setDraft] = useState(bounds);
  const problemOf = (text: string): string | null =>
    text === '' || isTime(text) ? null : 'Use a time such as 2026-11-24 04:00.';
  const [from, to] = [parseTime(draft.start), parseTime(draft.end)];
  const order = from !== null && to !== null && from >= to ? 'From is not before To.' : null;
  const problems = { start: problemOf(draft.start), end: problemOf(draft.end) ?? order };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (problems.start === null && problems.end === null) onApply(draft);
  };
  return (
    <form id={id} className="time-fields box sections" onSubmit={submit} aria-label="Custom time range" tabIndex={-1}>
      {(['start', 'end'] as const).map((name) => (
        <TimeField
          key={`${name} ${zone}`}
          label={`${name === 'start' ? 'From' : 'To'} (${zoneName(zone, parseTime(draft[name]) ?? new Date())})`}
          value={draft[name]}
          first={name === 'start'}
          problem={problems[name]}
          onChange={(text) => setDraft({ ...draft, [name]: text })}
        />
      ))}
      <button
        type="submit"
        className="button button-main"
        aria-disabled={problems.start !== null || problems.end !== null}
      >
        Apply
      </button>
    </form>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  first: boolean;
  problem: string | null;
  /** Gets the time as in an address, or what was typed if it is none. */
  onChange: (text: string) => void;
}

function TimeField({ label, value, first, problem, onChange }: TimeFieldProps) {
  const { zone } = useLiking();
  const [typed, setTyped] = useState(isTime(value) ? showTime(value, zone) : value);
  return (
    <Field label={label} problem={problem}>
      {(control) => (
        <input
          {...control}
          value={typed}
          placeholder={first ? '2026-11-24 04:00' : 'now'}
          // biome-ignore lint/a11y/noAutofocus: the button that opens the fields leads to the first one.
          autoFocus={first}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(readTime(event.target.value, zone) ?? event.target.value.trim());
          }}
        />
      )}
    </Field>
  );
}
