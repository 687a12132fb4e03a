import { permittedValues, type Viewer } from '../app/viewer';
import type { Parameter } from '../endpoints/rest';
import { parametersOf } from './dialect';
import type { Found, Query, Values } from './run';

/** The parts of a parameter without limits. */
export const unlimited = {
  description: '',
  default: null,
  defaults: [],
  allowed: [],
  values: [],
  fallback: null,
  pattern: null,
  format: null,
  maxLength: null,
  min: null,
  max: null,
  maxItems: null,
  deprecated: null,
};

/** The parameters of SQL as fields take them. One that the server has not found is text. */
export function fieldsOf({ sql, dialect }: Query, found: readonly Found[]): Parameter[] {
  return parametersOf(sql, dialect).map((name) => {
    const { type, required } = found.find((one) => one.name === name) ?? { type: 'STRING', required: true };
    return { ...unlimited, name, argument: name, type, required, scope: name === 'project' ? name : null };
  });
}

/** The names of required parameters without a value, neither typed nor bound by the token. */
export function missingIn(fields: readonly Parameter[], args: Values, viewer: Viewer): string[] {
  return fields
    .filter((field) => field.required && permittedValues(viewer, field)?.length !== 1)
    .filter(({ name }) => !(args[name] ?? []).some((value) => value !== ''))
    .map(({ name }) => name);
}
