import { lazy, Suspense } from 'react';
import { Segmented } from '../ui/Segmented';

const CustomRange = lazy(() => import('./CustomRange'));

/** Bounds as in an address; empty for none. */
export interface TimeBounds {
  start: string;
  end: string;
}

interface TimePickerProps<Preset extends string> {
  label?: string;
  presets: readonly { value: Preset; label: string }[];
  /** A preset; another value is a custom range. */
  value: Preset;
  onChange: (preset: Preset) => void;
  /** The bounds of a range, where any can be chosen. */
  bounds?: TimeBounds;
  /** Whether the bounds are the range. */
  custom?: boolean;
  onApply?: (bounds: TimeBounds) => void;
  /** Whether the range is of whole days in UTC, both of its bounds included. */
  days?: boolean;
}

/** The time range of a page: a preset, or from one time to another in the zone of the page. */
export function TimePicker<Preset extends string>(props: TimePickerProps<Preset>) {
  const { label = 'Time range', presets, value, onChange, bounds, custom = false, onApply, days = false } = props;
  return (
    <div className="time-picker row">
      <Segmented label={label} labelled choices={presets} value={value} onChange={onChange} />
      {bounds === undefined || onApply === undefined ? null : (
        <Suspense>
          <CustomRange bounds={bounds} custom={custom} days={days} onApply={onApply} />
        </Suspense>
      )}
    </div>
  );
}
