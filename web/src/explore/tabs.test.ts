import { expect, test } from 'vitest';
import { memoryStore } from '../app/storage';
import { keepPastRun, mostRuns, pastRuns, searchRuns } from './history';
import { activeTab, changeTab, closeTab, emptyTab, keepTabs, mostTabs, openTab, readTabs, titleOf } from './tabs';

const tabWith = (sql: string) => ({ ...emptyTab('googlesql'), texts: { googlesql: sql } });
const textsOf = (tabs: ReturnType<typeof readTabs>) => tabs.tabs.map(({ texts }) => texts.googlesql ?? '');

test('a link replaces a tab that nobody has worked in, and shows one that is open', () => {
  let tabs = readTabs(memoryStore(), 'googlesql');
  tabs = openTab(tabs, tabWith('SELECT 1'));
  tabs = openTab(tabs, tabWith('SELECT 2'));
  expect(textsOf(tabs)).toEqual(['SELECT 2']);
  tabs = openTab(changeTab(tabs, { kept: true }), tabWith('SELECT 3'));
  expect(textsOf(tabs)).toEqual(['SELECT 2', 'SELECT 3']);
  tabs = openTab(tabs, tabWith('SELECT 2'));
  expect(textsOf(tabs)).toEqual(['SELECT 2', 'SELECT 3']);
  expect(activeTab(tabs).texts.googlesql).toBe('SELECT 2');
});

test('the oldest tabs close, and the last one leaves an empty one', () => {
  let tabs = readTabs(memoryStore(), 'googlesql');
  for (let n = 0; n < mostTabs + 5; n++) tabs = openTab(tabs, { ...tabWith(`SELECT ${n}`), kept: true });
  expect(tabs.tabs.length).toBe(mostTabs);
  for (const { id } of tabs.tabs) tabs = closeTab(tabs, id, 'googlesql');
  expect(textsOf(tabs)).toEqual(['']);
  expect(activeTab(tabs).id).toBe(tabs.active);
});

test('tabs are kept, and anything else that is stored is not read', () => {
  const store = memoryStore();
  const tabs = openTab(readTabs(store, 'googlesql'), { ...tabWith('SELECT 1'), args: { a: ['1'] } });
  keepTabs(store, tabs);
  expect(readTabs(store, 'googlesql')).toEqual(tabs);
  for (const broken of [
    '{',
    '7',
    '{"tabs":[{"id":"1"}],"active":1}',
    '{"tabs":[{"id":1,"dialect":"x","saved":"","kept":true,"texts":{"x":1},"args":{}}]}',
  ]) {
    store.setItem('savedq.explore.tabs', broken);
    expect(textsOf(readTabs(store, 'googlesql'))).toEqual(['']);
  }
});

test.each([
  ['SELECT 1', 'New query'],
  ['SELECT a -- FROM comment\nFROM `edge_logs` WHERE x', 'edge_logs'],
  ['SELECT * FROM (SELECT 1)', 'New query'],
])('%s is about %s', (sql, title) => {
  expect(titleOf({ ...tabWith(sql), id: 1 })).toBe(title);
  expect(titleOf({ ...tabWith(sql), id: 1, saved: 'mine.q' })).toBe('mine.q');
});

test('the history keeps the last runs, each once, and finds words in any case', () => {
  const store = memoryStore();
  const run = (sql: string, at: number) => ({
    dialect: 'googlesql',
    sql,
    args: {},
    at: new Date(at).toISOString(),
    rows: 1,
    milliseconds: 2,
  });
  for (let n = 0; n < mostRuns + 10; n++) keepPastRun(store, run(`SELECT ${n} FROM edge_logs`, n));
  keepPastRun(store, run(`SELECT ${mostRuns} FROM edge_logs`, 999));
  const runs = pastRuns(store);
  expect(runs.length).toBe(mostRuns);
  expect(runs[0]?.sql).toBe(`SELECT ${mostRuns} FROM edge_logs`);
  expect(new Set(runs.map(({ sql }) => sql)).size).toBe(mostRuns);
  expect(searchRuns(runs, ` EDGE  ${mostRuns} `).length).toBe(1);
  expect(searchRuns(runs, 'nothing')).toEqual([]);
  store.setItem('savedq.explore.history', '[{"sql":1}]');
  expect(pastRuns(store)).toEqual([]);
});

test('a full storage forgets the older half', () => {
  const store = memoryStore();
  const small = {
    ...store,
    setItem: (key: string, value: string) => {
      if (value.length > 2000) throw new Error('full');
      store.setItem(key, value);
    },
  };
  for (let n = 0; n < 40; n++) {
    keepPastRun(small, {
      dialect: 'googlesql',
      sql: `SELECT ${n}`,
      args: {},
      at: String(n),
      rows: null,
      milliseconds: 1,
    });
  }
  const kept = pastRuns(small);
  expect(kept[0]?.sql).toBe('SELECT 39');
  expect(kept.length).toBeLessThan(40);
});
