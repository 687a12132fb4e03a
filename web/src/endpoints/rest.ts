import { serverPath } from '../api/server';
import { elementOf } from '../result/types';
import { formatCount } from '../ui/numbers';
import type { EndpointsQuery } from './gql/graphql';

export type Endpoint = EndpointsQuery['endpoints'][number];
export type Parameter = Endpoint['parameters'][number];

/** A column of the rows, or a field of a STRUCT. */
export interface Column {
  name: string;
  field: string;
  type: string;
  nullable: boolean;
  description: string;
  deprecated: string | null;
  /** Absent below the deepest level that the page requests. */
  fields?: readonly Column[];
}

/** The values of a form, by parameter. An empty one is not sent. */
export interface Arguments {
  [parameter: string]: readonly string[];
}

/** The values of a parameter that are sent: one at most, or any number for an ARRAY. */
export function sentValues({ name, type }: Parameter, args: Arguments): string[] {
  const values = (args[name] ?? []).filter((value) => value !== '');
  return elementOf(type) === null ? values.slice(0, 1) : values;
}

/** What is sent, in the order of the parameters. An ARRAY is repeated. */
export function sentArguments(endpoint: Endpoint, args: Arguments): [string, string][] {
  return endpoint.parameters.flatMap((parameter) =>
    sentValues(parameter, args).map((value): [string, string] => [parameter.name, value]),
  );
}

/** The address that runs a saved query. */
export function restPath(endpoint: Endpoint, args: Arguments): string {
  const query = new URLSearchParams(sentArguments(endpoint, args));
  const path = serverPath(`/api/endpoints/${encodeURIComponent(endpoint.name)}`);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The required parameters without a value. */
export function missingParameters(endpoint: Endpoint, args: Arguments): string[] {
  return endpoint.parameters
    .filter((parameter) => parameter.required && sentValues(parameter, args).length === 0)
    .map(({ name }) => name);
}

/** The default of a parameter, in words; null if it has none. */
export function defaultOf({ default: only, defaults }: Parameter): string | null {
  return only ?? (defaults.length === 0 ? null : defaults.join(', '));
}

const formats: { [type: string]: string } = {
  TIMESTAMP: 'ISO 8601 such as 2026-11-20T10:00:00Z, UTC by default',
  DATE: 'a day such as 2026-11-20',
};

/** The rules for a parameter's value, in words. Those of a value that has failed leave out what its message says. */
export function rulesOf(parameter: Parameter, failed: boolean): string {
  const { type, required, fallback, pattern, format, allowed, maxLength, maxItems } = parameter;
  const element = elementOf(type);
  const usual = defaultOf(parameter);
  const rules = [
    required ? (failed ? '' : 'required') : usual === null ? 'optional' : `default ${usual}`,
    fallback === null ? '' : `other values mean ${fallback}`,
    format === 'regex' ? 'a regular expression (RE2)' : '',
    allowed.length > 0 ? '' : (formats[element ?? type] ?? ''),
    boundsOf(parameter),
    pattern === null ? '' : `must match ${pattern}`,
    maxLength === null || allowed.length > 0 ? '' : `at most ${formatCount(maxLength)} characters`,
    maxItems === null ? '' : `at most ${formatCount(maxItems)} values`,
  ];
  return rules.filter((rule) => rule !== '').join(' · ');
}

function boundsOf({ min, max }: Parameter): string {
  if (min !== null && max !== null) return `${min} to ${max}`;
  if (min !== null) return `at least ${min}`;
  return max === null ? '' : `at most ${max}`;
}
