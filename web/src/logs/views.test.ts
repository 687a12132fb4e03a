import { expect, test } from 'vitest';
import { memoryStore } from '../app/storage';
import { forgetView, savedViews, saveView } from './views';

test('views are kept by name', () => {
  const store = memoryStore();
  saveView(store, { name: 'b', address: '/logs?q=1' });
  saveView(store, { name: 'a', address: '/logs?q=2' });
  expect(saveView(store, { name: 'b', address: '/logs?q=3' })).toEqual([
    { name: 'a', address: '/logs?q=2' },
    { name: 'b', address: '/logs?q=3' },
  ]);
  expect(forgetView(store, 'a')).toEqual([{ name: 'b', address: '/logs?q=3' }]);
  expect(savedViews(store)).toEqual([{ name: 'b', address: '/logs?q=3' }]);
});

test.each([
  '{',
  '{}',
  '["a"]',
  '[null]',
  '[{"name":"a"}]',
  '[{"name":"a","address":"https://elsewhere"}]',
  '[{"name":"a","address":"//elsewhere"}]',
])('what somebody else wrote is nothing: %s', (text) => {
  const store = memoryStore();
  store.setItem('savedq.views.logs', text);
  expect(savedViews(store)).toEqual([]);
});
