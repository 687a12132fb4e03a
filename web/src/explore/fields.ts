import type { Parameter } from '../endpoints/rest';
import { parametersOf } from './parameters';
import type { Found } from './run';

/** What a parameter of SQL has none of. */
const anyValue = {
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
export function fieldsOf(sql: string, found: readonly Found[]): Parameter[] {
  return parametersOf(sql).map((name) => {
    const { type, required } = found.find((one) => one.name === name) ?? { type: 'STRING', required: true };
    return { ...anyValue, name, argument: name, type, required, scope: name === 'project' ? name : null };
  });
}
