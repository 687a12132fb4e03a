import { expect, test } from 'vitest';
import {
  mayRun,
  permittedValues,
  unknownViewer,
  usualProject,
  usualTier,
  type Viewer,
  visiblePages,
  visibleTiers,
} from './viewer';

const acme: Viewer = { ...unknownViewer, projects: ['acme', 'initech'] };

test.each<[string, Viewer, string[], string]>([
  ['no limit, nothing used', unknownViewer, [], 'default'],
  ['no limit, the one used last', unknownViewer, ['globex', 'acme'], 'globex'],
  ['limited, nothing used', acme, [], 'acme'],
  ['limited, only forbidden ones used', acme, ['globex', 'default'], 'acme'],
  ['limited, an allowed one used', acme, ['globex', 'initech'], 'initech'],
  ['limited to none', { ...unknownViewer, projects: [] }, ['globex'], ''],
])('the usual project: %s', (_name, viewer, used, want) => {
  expect(usualProject(viewer, used)).toBe(want);
});

test('pages of saved queries that cannot be run are left out', () => {
  expect(visiblePages(unknownViewer)).toEqual(['functions', 'usage', 'logs', 'endpoints', 'alerts']);
  expect(visiblePages({ ...unknownViewer, explore: true }).at(-1)).toBe('explore');
  expect(visiblePages({ ...unknownViewer, manageTokens: true }).at(-1)).toBe('tokens');
  expect(visiblePages({ ...unknownViewer, endpoints: ['logs.all', 'my.query'] })).toEqual([
    'logs',
    'endpoints',
    'alerts',
  ]);
  expect(visiblePages({ ...unknownViewer, endpoints: ['logs.search'] })).toEqual(['logs', 'endpoints', 'alerts']);
});

test('a saved query is requested only if the token is known to be able to run it', () => {
  expect(mayRun({ ...unknownViewer, endpoints: ['projects.list'] }, 'projects.list')).toBe(true);
  expect(mayRun({ ...unknownViewer, endpoints: ['logs.all'] }, 'projects.list')).toBe(false);
  expect(mayRun(unknownViewer, 'projects.list')).toBe(false);
});

test('tiers above the highest one are left out, but for the one that is chosen', () => {
  const tiers = (projectTier: string | null, chosen: 'FREE' | 'PAYG') =>
    visibleTiers({ ...unknownViewer, projectTier }, chosen).map(({ value }) => value);
  expect(tiers(null, 'FREE')).toEqual(['FREE', 'PRO', 'PAYG', 'ENTERPRISE']);
  expect(tiers('PRO', 'FREE')).toEqual(['FREE', 'PRO']);
  expect(tiers('FREE', 'PAYG')).toEqual(['FREE', 'PAYG']);
});

test('the usual tier is the highest that the token allows', () => {
  expect(usualTier(unknownViewer)).toBe('ENTERPRISE');
  expect(usualTier({ ...unknownViewer, projectTier: 'PRO' })).toBe('PRO');
});

test('the values of a parameter that the token allows', () => {
  const tiers = { name: 'tier', scope: 'tier', allowed: ['FREE', 'PRO', 'PAYG'] };
  const project = { name: 'ref', scope: 'project', allowed: [] };
  expect(permittedValues(unknownViewer, project)).toBeNull();
  expect(permittedValues(acme, project)).toEqual(['acme', 'initech']);
  expect(permittedValues(acme, tiers)).toBeNull();
  expect(permittedValues({ ...acme, projectTier: 'PRO' }, tiers)).toEqual(['FREE', 'PRO']);
  expect(
    permittedValues({ ...acme, projectTier: 'PRO' }, { name: 'interval', scope: null, allowed: ['1day'] }),
  ).toBeNull();
  const get = { ...acme, boundParameters: [{ name: 'method', values: ['GET'] }] };
  expect(permittedValues(get, { name: 'method', scope: null, allowed: [] })).toEqual(['GET']);
  expect(permittedValues(get, { name: 'path', scope: null, allowed: [] })).toBeNull();
});
