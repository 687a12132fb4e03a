import { useEffect, useState } from 'react';
import { useServices } from '../app/context';
import type { ExploreState } from '../endpoints/address';
import { type Dialect, dialects, googleSQL } from './dialect';
import { endpointsOf, tabOf } from './savedQueries';
import { activeTab, changeTab, closeTab, emptyTab, keepTabs, type NewTab, openTab, readTabs, type Tabs } from './tabs';

export interface TabControl {
  show: (id: number) => void;
  close: (id: number) => void;
  add: () => void;
  open: (tab: NewTab) => void;
  /** Changes the tab that is shown. */
  change: (part: Partial<NewTab>) => void;
}

/** The tabs of this browser, with the SQL or the saved query that the address names. */
export function useTabs(state: ExploreState): [Tabs, TabControl] {
  const { client, store } = useServices();
  const { sql, dialect, args, query = '', project } = state;
  const [tabs, setTabs] = useState(() => {
    const kept = readTabs(store, googleSQL.name);
    return sql === '' ? kept : openTab(kept, linkedTab(state));
  });
  const set = (next: (before: Tabs) => Tabs): void =>
    setTabs((before) => {
      const after = next(before);
      keepTabs(store, after);
      return after;
    });
  // A link within the page, or the history of the browser.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address opens a tab.
  useEffect(() => {
    if (sql !== '') set((before) => (isShown(before, sql) ? before : openTab(before, linkedTab(state))));
  }, [sql, dialect]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address names one saved query.
  useEffect(() => {
    if (query === '' || sql !== '') return;
    const controller = new AbortController();
    endpointsOf(client, { signal: controller.signal }).then(
      (endpoints) => {
        const found = endpoints.find(({ name }) => name === query);
        if (found === undefined) return;
        const opened = tabOf(found, project);
        set((before) => openTab(before, { ...opened, args: { ...opened.args, ...args } }));
      },
      () => undefined, // The list of queries says what is wrong.
    );
    return () => controller.abort();
  }, [query]);
  return [
    tabs,
    {
      show: (id) => set((before) => ({ ...before, active: id })),
      close: (id) => set((before) => closeTab(before, id, activeTab(before).dialect)),
      add: () => set((before) => openTab(before, emptyTab(activeTab(before).dialect))),
      open: (tab) => set((before) => openTab(before, tab)),
      change: (part) => set((before) => changeTab(before, part)),
    },
  ];
}

function isShown(tabs: Tabs, sql: string): boolean {
  const { texts, dialect } = activeTab(tabs);
  return texts[dialect] === sql;
}

/** The tab of an address with SQL. */
function linkedTab({ sql, dialect, args, query = '' }: ExploreState): NewTab {
  const { name } = dialectOf(dialect);
  return { dialect: name, texts: { [name]: sql }, args, saved: query, kept: false };
}

/** The dialect with the key of an address. */
function dialectOf(key: string): Dialect {
  return dialects.find((one) => one.key === key) ?? googleSQL;
}
