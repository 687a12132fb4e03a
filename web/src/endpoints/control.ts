import { elementOf } from '../result/types';
import { type TimeType, timeTypes } from '../time/dayOfValue';
import type { Parameter } from './rest';

/** How the value of a parameter, or an element of an ARRAY, is entered. */
export type Control =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'number'; min: string | null; max: string | null; step: string }
  | { kind: 'time'; type: TimeType }
  | { kind: 'text'; inputMode: 'text' | 'numeric' | 'decimal' };

/**
 * The control for a value. Browsers hide a value that a control cannot have, such as text
 * in a number field: a link with such a value gets a text field, so that it can be seen.
 */
export function controlOf(parameter: Parameter, value: string, permitted: readonly string[] | null): Control {
  const element = elementOf(parameter.type) ?? parameter.type;
  const choices = permitted ?? choicesOf(parameter, element);
  if (choices !== null) {
    return { kind: 'choice', choices: value === '' || choices.includes(value) ? choices : [value, ...choices] };
  }
  switch (element) {
    case 'INT64':
    case 'FLOAT64':
      return numberControl(parameter, element, value);
    case 'NUMERIC':
      return { kind: 'text', inputMode: 'decimal' }; // number fields round
    default: {
      // A browser's own field for a day would show it in the format of the browser, and takes no now-1d.
      const type = timeTypes.find((one) => one === element);
      return type === undefined ? { kind: 'text', inputMode: 'text' } : { kind: 'time', type };
    }
  }
}

/** The values to choose from; null for any. */
function choicesOf({ allowed }: Parameter, element: string): readonly string[] | null {
  if (allowed.length > 0) return allowed;
  return element === 'BOOL' ? ['true', 'false'] : null;
}

/** A bounded number has arrows to step; any other keeps all its digits as text. */
function numberControl({ min, max }: Parameter, element: string, value: string): Control {
  const whole = element === 'INT64';
  // Number fields step as floating-point numbers, which have no digits beyond 2^53.
  if (isSafe(min) && isSafe(max) && (whole ? /^(-?\d+)?$/ : /^(-?\d+(\.\d+)?)?$/).test(value)) {
    return { kind: 'number', min, max, step: whole ? '1' : 'any' };
  }
  return { kind: 'text', inputMode: whole ? 'numeric' : 'decimal' };
}

function isSafe(bound: string | null): boolean {
  return bound !== null && Math.abs(Number(bound)) <= Number.MAX_SAFE_INTEGER;
}
