import { expect, test } from 'vitest';
import { endpointOf, parameterOf } from './endpoint.fixture';
import { missingParameters, restPath, rulesOf } from './rest';
import { searchEndpoints } from './search';

const endpoint = endpointOf(
  [
    parameterOf({ name: 'project', required: true, maxLength: 256 }),
    parameterOf({ name: 'interval', default: 'daily', allowed: ['hourly', 'daily'], fallback: 'daily' }),
    parameterOf({ name: 'paths', type: 'ARRAY<STRING>', maxItems: 3, defaults: ['/a', '/b'] }),
  ],
  [],
);

test('sends the declared arguments that have a value, and each value of an ARRAY', () => {
  const path = '/api/endpoints/usage.api-counts';
  expect(restPath(endpoint, { project: ["o'neil & co"], interval: ['hourly', 'daily'], other: ['x'] })).toBe(
    `${path}?project=o%27neil+%26+co&interval=hourly`,
  );
  expect(restPath(endpoint, { paths: ['/a', '', '/b'] })).toBe(`${path}?paths=%2Fa&paths=%2Fb`);
  expect(restPath(endpoint, { project: [''] })).toBe(path);
  expect(missingParameters(endpoint, { project: [''], interval: ['daily'] })).toEqual(['project']);
  expect(missingParameters(endpoint, { project: ['p'] })).toEqual([]);
});

test('describes the rules of a parameter', () => {
  expect(endpoint.parameters.map((parameter) => rulesOf(parameter, false))).toEqual([
    'required · at most 256 characters',
    'default daily · other values mean daily',
    'default /a, /b · at most 3 values',
  ]);
  expect(endpoint.parameters.map((parameter) => rulesOf(parameter, true))[0]).toBe('at most 256 characters');
  const rules = (part: Parameters<typeof parameterOf>[0]): string => rulesOf(parameterOf(part), false);
  expect(rules({ type: 'INT64', min: '1', max: '90' })).toBe('optional · 1 to 90');
  expect(rules({ type: 'FLOAT64', min: '0' })).toBe('optional · at least 0');
  expect(rules({ type: 'DATE', max: '2030-01-01' })).toBe('optional · a day such as 2026-11-20 · at most 2030-01-01');
  expect(rules({ type: 'TIMESTAMP', default: 'now-7d' })).toContain('default now-7d · ISO 8601');
});

test('finds words in names first, then in aliases and descriptions', () => {
  const all = [
    endpointOf([], [], { name: 'logs.all', description: 'Counts nothing.' }),
    endpointOf([], [], { name: 'usage.api-counts', description: 'Requests.' }),
    endpointOf([], [], { name: 'mine', aliases: ['earlier.name', '2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10'] }),
  ];
  const names = (text: string): string[] => searchEndpoints(all, text).map(({ name }) => name);
  expect(names('')).toEqual(['logs.all', 'usage.api-counts', 'mine']);
  expect(names(' COUNTS ')).toEqual(['usage.api-counts', 'logs.all']);
  expect(names('api requests')).toEqual(['usage.api-counts']);
  expect(names('earlier')).toEqual(['mine']);
  expect(names('2F2C0F2E')).toEqual(['mine']);
  expect(names('absent')).toEqual([]);
});
