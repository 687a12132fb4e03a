import { type FormEvent, useEffect, useState } from 'react';
import { Field } from '../ui/Field';
import { toPicker } from './iso';

interface RangeFormProps {
  /** As in the address; empty for no bound. */
  start: string;
  end: string;
  startProblem: string | null;
  endProblem: string | null;
  onApply: (bounds: { start: string; end: string }) => void;
}

/** Picks the bounds of a custom range, in UTC. They take effect on Apply. */
export function RangeForm({ start, end, startProblem, endProblem, onApply }: RangeFormProps) {
  const [draft, setDraft] = useState({ start: toPicker(start), end: toPicker(end) });
  useEffect(() => setDraft({ start: toPicker(start), end: toPicker(end) }), [start, end]);
  const order = draft.start !== '' && draft.end !== '' && draft.start > draft.end ? 'From is after To.' : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (order === null) onApply(draft);
  };
  return (
    <form className="controls row" onSubmit={submit} aria-label="Custom time range">
      <PickerField
        label="From (UTC)"
        value={draft.start}
        problem={startProblem}
        onChange={(value) => setDraft({ ...draft, start: value })}
      />
      <PickerField
        label="To (UTC)"
        value={draft.end}
        problem={order ?? endProblem}
        onChange={(value) => setDraft({ ...draft, end: value })}
      />
      <button type="submit" className="button button-main" aria-disabled={order !== null}>
        Apply
      </button>
    </form>
  );
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
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
