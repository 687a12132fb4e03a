import { unlimited } from '../explore/fields';
import type { Column, Endpoint, Parameter } from './rest';

/** An optional parameter without limits, for tests. */
export function parameterOf(part: Partial<Parameter>): Parameter {
  const { name = 'project' } = part;
  return {
    name,
    argument: name,
    type: 'STRING',
    required: false,
    scope: null,
    ...unlimited,
    ...part,
  };
}

/** A nullable column, for tests. */
export function columnOf(name: string, type: string, part: Partial<Column> = {}): Column {
  return { name, field: name, type, nullable: true, description: '', deprecated: null, fields: [], ...part };
}

/** A saved query, for tests. */
export function endpointOf(parameters: Parameter[], columns: Column[], part: Partial<Endpoint> = {}): Endpoint {
  return {
    id: '7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21',
    name: 'usage.api-counts',
    aliases: [],
    field: 'apiCounts',
    description: '',
    deprecated: null,
    language: 'duckdb',
    sql: '',
    parameters,
    columns: columns as Endpoint['columns'],
    maxRows: 1000,
    cacheSeconds: 900,
    warmSeconds: null,
    sandboxed: false,
    ...part,
  };
}
