import { type FormEvent, useEffect, useState } from 'react';
import { useLiking } from '../app/preferences';
import { zoneName } from '../time/format';
import { Field } from '../ui/Field';
import { fromPicker, isTime, parseTime, toPicker } from './iso';

interface RangeFormProps {
  /** As in the address; empty for no bound. */
  start: string;
  end: string;
  startProblem: string | null;
  endProblem: string | null;
  onApply: (bounds: { start: string; end: string }) => void;
}

/** Picks the bounds of a custom range, in the zone of the page. They take effect on Apply. */
export function RangeForm({ start, end, startProblem, endProblem, onApply }: RangeFormProps) {
  const { zone } = useLiking();
  // As in the address: it stays the same time in another zone.
  const [draft, setDraft] = useState(boundsIn(start, end));
  useEffect(() => setDraft(boundsIn(start, end)), [start, end]);
  const [from, to] = [parseTime(draft.start), parseTime(draft.end)];
  const order = from !== null && to !== null && from > to ? 'From is after To.' : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order === null) onApply(draft);
  };
  return (
    <form className="controls row" onSubmit={submit} aria-label="Custom time range">
      <PickerField
        label={`From (${zoneName(zone, from ?? new Date())})`}
        value={toPicker(draft.start, zone)}
        problem={startProblem}
        onChange={(value) => setDraft({ ...draft, start: fromPicker(value, zone) })}
      />
      <PickerField
        label={`To (${zoneName(zone, to ?? new Date())})`}
        value={toPicker(draft.end, zone)}
        problem={order ?? endProblem}
        onChange={(value) => setDraft({ ...draft, end: fromPicker(value, zone) })}
      />
      <button type="submit" className="button button-main" aria-disabled={order !== null}>
        Apply
      </button>
    </form>
  );
}

/** The bounds in an address, without those that are no times and that a picker cannot show. */
function boundsIn(start: string, end: string): { start: string; end: string } {
  return { start: isTime(start) ? start : '', end: isTime(end) ? end : '' };
}

interface PickerFieldProps {
  label: string;
  value: string;
  problem: string | null;
  onChange: (value: string) => void;
}

function PickerField({ label, value, problem, onChange }: PickerFieldProps) {
  return (
    <Field label={label} problem={problem}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          step="1"
          max="9999-12-31T23:59:59" // a year has four digits
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
