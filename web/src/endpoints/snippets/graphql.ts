import { elementOf, innermostOf } from '../../result/types';
import { type Arguments, type Column, type Endpoint, type Parameter, sentValues } from '../rest';

/** A GraphQL document with the names of the server's schema. */
export function graphqlSnippet(endpoint: Endpoint, args: Arguments): string {
  const written = endpoint.parameters.flatMap((parameter) => {
    const values = sentValues(parameter, args);
    return values.length === 0 ? [] : [`${parameter.argument}: ${argumentOf(parameter, values)}`];
  });
  const call = written.length === 0 ? endpoint.field : `${endpoint.field}(${written.join(', ')})`;
  return ['{', `  ${call} {`, ...selection(endpoint.columns, '    '), '  }', '}'].join('\n');
}

function argumentOf(parameter: Parameter, values: readonly string[]): string {
  const literals = values.map((value) => literalOf(parameter, value));
  return elementOf(parameter.type) === null ? literals.join() : `[${literals.join(', ')}]`;
}

/** The literal of a value. A value of the wrong type is a string, which the server rejects. */
function literalOf({ type, allowed, values, fallback }: Parameter, value: string): string {
  const text = allowed.length === 0 || allowed.includes(value) ? value : (fallback ?? value);
  const enumValue = values[allowed.indexOf(text)];
  if (enumValue !== undefined) return enumValue;
  return literals[elementOf(type) ?? type]?.test(text) ? text : JSON.stringify(text);
}

/** What is written without quotes, by type. */
const literals: { [type: string]: RegExp } = {
  INT64: /^-?(0|[1-9]\d*)$/,
  FLOAT64: /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/,
  BOOL: /^(true|false)$/,
};

function selection(columns: readonly Column[], indent: string): string[] {
  return columns.flatMap(({ field, type, fields }) => {
    if (innermostOf(type) !== 'STRUCT') return [indent + field];
    const inner = fields === undefined ? [`${indent}  __typename`] : selection(fields, `${indent}  `);
    return [`${indent}${field} {`, ...inner, `${indent}}`];
  });
}
