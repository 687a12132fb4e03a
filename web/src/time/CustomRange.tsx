import { type FormEvent, useId, useState } from 'react';
import { useLiking } from '../app/preferences';
import { Field } from '../ui/Field';
import { Calendar } from './Calendar';
import { dayOf, pickDay, shiftDay } from './calendar';
import { type Zone, zoneName } from './format';
import { isTime, parseTime, readTime, showTime, toPicker } from './iso';
import type { TimeBounds } from './TimePicker';
import { usePopup } from './usePopup';

interface CustomRangeProps {
  bounds: TimeBounds;
  /** Whether the range is of whole days in UTC, both of its bounds included. */
  days: boolean;
  custom: boolean;
  onApply: (bounds: TimeBounds) => void;
}

/** A button that names the custom range, and opens its fields. It is the default export, because few pages load it. */
export default function CustomRange({ bounds, custom, days, onApply }: CustomRangeProps) {
  const zone = useZone(days);
  const { open, toggle, close, button, around } = usePopup();
  const id = useId();
  const wrong = custom ? [bounds.start, bounds.end].find((text) => text !== '' && !isTime(text)) : undefined;
  const [from, to] = [show(bounds.start, zone, days), show(bounds.end, zone, days)];
  const named = nameOf(from, to, days);
  return (
    <div className="time-custom" {...around}>
      <button
        ref={button}
        type="button"
        className="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        data-chosen={custom}
        onClick={toggle}
      >
        {custom && wrong === undefined ? `${named} ${zoneName(zone, parseTime(bounds.start) ?? new Date())}` : 'Custom'}
      </button>
      {wrong === undefined ? null : (
        <p className="field-problem" role="alert">
          “{wrong}” is not a time, such as {example}.
        </p>
      )}
      {open ? (
        <RangeFields
          id={id}
          bounds={bounds}
          days={days}
          onApply={(applied) => {
            close();
            onApply(applied);
          }}
        />
      ) : null}
    </div>
  );
}

/** The time zone of the fields. Days are in UTC. */
function useZone(days: boolean): Zone {
  const { zone } = useLiking();
  return days ? 'utc' : zone;
}

function show(text: string, zone: Zone, days: boolean): string {
  const time = showTime(text, zone);
  return days ? time.slice(0, example.indexOf(' ')) : time;
}

/** Names a range, such as "2026-11-24 04:00 – 05:00". */
function nameOf(from: string, to: string, days: boolean): string {
  if (days && from === to && from !== '') return from;
  const day = from.slice(0, example.indexOf(' ') + 1);
  const until = !days && day !== '' && to.startsWith(day) ? to.slice(day.length) : to;
  return `${from || 'Beginning'} – ${until || (days ? 'today' : 'now')}`;
}

const example = '2026-11-24 04:00';

interface RangeFieldsProps {
  id: string;
  bounds: TimeBounds;
  days: boolean;
  onApply: (bounds: TimeBounds) => void;
}

/** The fields of a custom range. They take effect on Apply. */
function RangeFields({ id, bounds, days, onApply }: RangeFieldsProps) {
  const zone = useZone(days);
  // As in an address, or as typed: a time stays the same in another zone.
  const [draft, setDraft] = useState(bounds);
  const [picks, setPicks] = useState(0);
  const problemOf = (text: string): string | null =>
    text === '' || isTime(text) ? null : `Use a ${days ? 'day such as 2026-11-24' : `time such as ${example}`}.`;
  const [from, to] = [parseTime(draft.start), parseTime(draft.end)];
  const isOrdered = from === null || to === null || (days ? from <= to : from < to);
  const order = isOrdered ? null : `From is ${days ? 'after' : 'not before'} To.`;
  const problems = { start: problemOf(draft.start), end: problemOf(draft.end) ?? order };
  const chosen = daysOf(draft, zone, days);
  const pick = (day: string): void => {
    const picked = pickDay(chosen.from, chosen.to, day);
    setDraft(days ? { start: picked.from, end: picked.to } : boundsOfDays(picked, zone));
    setPicks(picks + 1); // The fields show what was picked.
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (problems.start === null && problems.end === null) onApply(draft);
  };
  return (
    <form id={id} className="time-fields box sections" onSubmit={submit} aria-label="Custom time range" tabIndex={-1}>
      {(['start', 'end'] as const).map((name) => (
        <TimeField
          key={`${name} ${zone} ${picks}`}
          label={`${name === 'start' ? 'From' : 'To'} (${zoneName(zone, parseTime(draft[name]) ?? new Date())})`}
          value={draft[name]}
          days={days}
          first={name === 'start'}
          focused={name === 'start' && picks === 0}
          problem={problems[name]}
          onChange={(text) => setDraft({ ...draft, [name]: text })}
        />
      ))}
      <Calendar
        label={`Days (${zoneName(zone, new Date())})`}
        {...chosen}
        today={dayOf(toPicker(new Date().toISOString(), zone)) ?? ''}
        onPick={pick}
      />
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

/** The days that a range covers, in a zone; empty for no bound. A range has its start and not its end. */
function daysOf({ start, end }: TimeBounds, zone: Zone, days: boolean): { from: string; to: string } {
  const from = dayOf(showTime(start, zone)) ?? '';
  const shown = showTime(end, zone);
  const to = dayOf(shown) ?? '';
  const isMidnight = !days && to !== '' && shown.endsWith(' 00:00');
  return { from, to: isMidnight && to > from ? shiftDay(to, -1) : to };
}

/** The bounds of whole days, in a zone. */
function boundsOfDays({ from, to }: { from: string; to: string }, zone: Zone): TimeBounds {
  return { start: readTime(from, zone) ?? '', end: to === '' ? '' : (readTime(shiftDay(to, 1), zone) ?? '') };
}

interface TimeFieldProps {
  label: string;
  value: string;
  days: boolean;
  first: boolean;
  /** Whether it gets the focus when it is shown. */
  focused: boolean;
  problem: string | null;
  /** Gets the time as in an address, or what was typed if it is none. */
  onChange: (text: string) => void;
}

function TimeField({ label, value, days, first, focused, problem, onChange }: TimeFieldProps) {
  const zone = useZone(days);
  const [typed, setTyped] = useState(isTime(value) ? show(value, zone, days) : value);
  return (
    <Field label={label} problem={problem}>
      {(control) => (
        <input
          {...control}
          value={typed}
          placeholder={first ? show(example, 'utc', days) : days ? 'today' : 'now'}
          // biome-ignore lint/a11y/noAutofocus: the button that opens the fields leads to the first one.
          autoFocus={focused}
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
