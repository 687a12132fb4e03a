import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { unknownViewer } from '../app/viewer';
import { exampleTabs } from './examples';

const namesOf = (tabs: { query: string }[]): string[] => tabs.map(({ query }) => /query (\w+)/.exec(query)?.[1] ?? '');

test('the examples are valid, and about the project', () => {
  const tabs = exampleTabs(unknownViewer, 'a "b" \\ \n c');
  expect(namesOf(tabs)).toEqual(['Functions', 'Usage', 'Logs', 'Endpoints']);
  for (const { query } of tabs) parse(query);
  expect(tabs[0]?.query).toContain('project: "a \\"b\\" \\\\ \\n c"');
});

test('the examples are those that the token may run, up to its tier', () => {
  const tabs = exampleTabs({ ...unknownViewer, endpoints: ['logs.all'], projectTier: 'PAYG' }, 'acme');
  expect(namesOf(tabs)).toEqual(['Logs', 'Endpoints']);
  expect(tabs[0]?.query).toContain('projectTier: PAYG');
  expect(namesOf(exampleTabs({ ...unknownViewer, endpoints: [] }, 'acme'))).toEqual(['Endpoints']);
});
