import { elementOf } from '../result/types';
import { type Arguments, type Endpoint, type Parameter, sentValues } from './rest';

const examples: { [type: string]: string } = {
  INT64: '1',
  FLOAT64: '0.5',
  NUMERIC: '12.5',
  BOOL: 'true',
  DATE: '2026-11-20',
  TIMESTAMP: '2026-11-20T10:00:00Z',
};

/** The arguments, with an example for each required one that is missing, so that a snippet is complete. */
export function withExamples(endpoint: Endpoint, args: Arguments): Arguments {
  const missing = endpoint.parameters.filter(
    (parameter) => parameter.required && sentValues(parameter, args).length === 0,
  );
  return { ...args, ...Object.fromEntries(missing.map((parameter) => [parameter.name, [exampleOf(parameter)]])) };
}

function exampleOf({ name, type, allowed, min }: Parameter): string {
  return allowed[0] ?? min ?? examples[elementOf(type) ?? type] ?? name.toUpperCase();
}
