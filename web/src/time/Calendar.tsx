import './calendar.css';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { dayOf, monthOf, nameOf, shiftDay, shiftMonth, weeksOf } from './calendar';

interface CalendarProps {
  label: string;
  /** The first and the last day that are chosen, such as "2026-11-24"; empty for none. */
  from: string;
  to: string;
  /** The day of now. */
  today: string;
  /** Whether it gets the focus when it is shown. */
  focused?: boolean;
  onPick: (day: string) => void;
}

const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** How far each key moves the focus, in days. */
const steps: { [key: string]: number } = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** A month of days to choose from. Arrow keys move through the days, Page Up and Page Down through the months. */
export function Calendar({ label, from, to, today, focused = false, onPick }: CalendarProps) {
  const [day, setDay] = useState(dayOf(to) ?? dayOf(from) ?? today);
  const grid = useRef<HTMLTableElement>(null);
  const focusDay = (): void => grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  const focusAtFirst = useRef(focused ? focusDay : null);
  useEffect(() => focusAtFirst.current?.(), []);
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    const months = { PageUp: -1, PageDown: 1 }[event.key];
    if (step === undefined && months === undefined) return;
    event.preventDefault();
    flushSync(() => setDay(step === undefined ? shiftMonth(day, months ?? 0) : shiftDay(day, step)));
    focusDay();
  };
  const last = to === '' ? from : to;
  return (
    <div className="calendar stack">
      <div className="row">
        <button
          type="button"
          className="button"
          aria-label="Previous month"
          onClick={() => setDay(shiftMonth(day, -1))}
        >
          ‹
        </button>
        <strong className="medium" aria-live="polite">
          {monthOf(day)}
        </strong>
        <button type="button" className="button" aria-label="Next month" onClick={() => setDay(shiftMonth(day, 1))}>
          ›
        </button>
      </div>
      <table ref={grid} aria-label={label} onKeyDown={press}>
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(day).map((week) => (
            <tr key={week[0]}>
              {week.map((one) => (
                <td key={one}>
                  <button
                    type="button"
                    tabIndex={one === day ? 0 : -1}
                    aria-label={nameOf(one)}
                    aria-pressed={from !== '' && one >= from && one <= last}
                    aria-current={one === today ? 'date' : undefined}
                    data-other={one.slice(0, 7) !== day.slice(0, 7)}
                    onClick={() => {
                      setDay(one);
                      onPick(one);
                    }}
                  >
                    {Number(one.slice(8))}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
