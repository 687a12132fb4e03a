import { useId } from 'react';
import { useLiking } from '../app/preferences';
import { CalendarIcon } from '../ui/icons';
import { Calendar } from './Calendar';
import { dayOf } from './calendar';
import { dayOfValue, type TimeType, withDay } from './dayOfValue';
import { zoneName } from './format';
import { toPicker } from './iso';
import { usePopup } from './usePopup';

interface DayButtonProps {
  /** What the time is of. */
  name: string;
  type: TimeType;
  value: string;
  onChange: (value: string) => void;
}

/** A button that opens a calendar for the day of a value. It is the default export, because it is loaded when it is first shown. */
export default function DayButton({ name, type, value, onChange }: DayButtonProps) {
  const { zone } = useLiking();
  const { open, toggle, close, button, around } = usePopup();
  const id = useId();
  const where = type === 'TIMESTAMP' ? ` (${zoneName(zone, new Date())})` : '';
  const day = dayOfValue(type, value, zone);
  return (
    <div className="day-button" {...around}>
      <button
        ref={button}
        type="button"
        className="button"
        title={`Choose a day${where}`}
        aria-label={`Choose a day for ${name}`}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={toggle}
      >
        <CalendarIcon />
      </button>
      {open ? (
        <div id={id} className="day-popup box">
          <Calendar
            label={`Days${where}`}
            from={day}
            to={day}
            focused
            today={dayOf(toPicker(new Date().toISOString(), zone)) ?? ''}
            onPick={(picked) => {
              onChange(withDay(type, value, picked, zone));
              close();
            }}
          />
        </div>
      ) : null}
    </div>
  );
}
