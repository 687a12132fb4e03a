import { elementOf } from '../result/types';
import type { Parameter } from './rest';

/** How the value of a parameter, or an element of an ARRAY, is entered. */
export type Control =
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'date'; min: string | null; max: string | null }
  | { kind: 'number'; min: string | null; max: string | null; step: string }
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
    case 'DATE':
      return value === '' || isDay(value)
        ? { kind: 'date', min: dayOrNull(parameter.min), max: dayOrNull(parameter.max) }
        : text;
    case 'INT64':
    case 'FLOAT64':
      return numberControl(parameter, element, value);
    case 'NUMERIC':
      return { kind: 'text', inputMode: 'decimal' }; // number fields round
    default:
      return text;
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

const text: Control = { kind: 'text', inputMode: 'text' };

function isSafe(bound: string | null): boolean {
  return bound !== null && Math.abs(Number(bound)) <= Number.MAX_SAFE_INTEGER;
}

/** Reports whether a text is a day that a date field can show. */
function isDay(text: string): boolean {
  const day = new Date(text);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function dayOrNull(bound: string | null): string | null {
  return bound !== null && isDay(bound) ? bound : null;
}
