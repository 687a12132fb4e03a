import type { TextStore } from '../app/storage';
import { tokenise } from '../endpoints/sql';
import type { Values } from './run';

/** A query in the editor. */
export interface Tab {
  id: number;
  /** The name of its dialect. */
  dialect: string;
  /** The SQL in each dialect, by the name of the dialect. One without SQL has an example. */
  texts: { readonly [dialect: string]: string };
  args: Values;
  /** The saved query that it was opened from; empty for none. */
  saved: string;
  /** Whether the SQL was typed or run. Another link replaces one that was not. */
  kept: boolean;
}

/** The open tabs. There is always one. */
export interface Tabs {
  tabs: readonly Tab[];
  /** The id of the one that is shown. */
  active: number;
}

/** Where the browser keeps the tabs. */
const key = 'savedq.explore.tabs';
/** More tabs have no room. The oldest ones close. */
export const mostTabs = 12;

export type NewTab = Omit<Tab, 'id'>;

export const emptyTab = (dialect: string): NewTab => ({ dialect, texts: {}, args: {}, saved: '', kept: false });

export function activeTab({ tabs, active }: Tabs): Tab {
  const found = tabs.find(({ id }) => id === active) ?? tabs[0];
  if (found === undefined) throw new Error('There is no tab.');
  return found;
}

/** Shows a tab: one with the same SQL, or a new one in place of one that nobody has worked in. */
export function openTab(state: Tabs, tab: NewTab): Tabs {
  const text = tab.texts[tab.dialect] ?? '';
  const same = state.tabs.find(
    (other) => text !== '' && other.dialect === tab.dialect && other.texts[other.dialect] === text,
  );
  if (same !== undefined) {
    return changeTab({ ...state, active: same.id }, { args: tab.args, saved: tab.saved || same.saved });
  }
  const current = activeTab(state);
  const id = Math.max(...state.tabs.map((other) => other.id)) + 1;
  const added = { ...tab, id };
  if (!current.kept && text !== '') {
    return { tabs: state.tabs.map((other) => (other === current ? added : other)), active: id };
  }
  return { tabs: [...state.tabs, added].slice(-mostTabs), active: id };
}

/** Closes a tab. The next one is shown, or an empty one after the last. */
export function closeTab(state: Tabs, id: number, dialect: string): Tabs {
  const at = state.tabs.findIndex((tab) => tab.id === id);
  const tabs = state.tabs.filter((tab) => tab.id !== id);
  const next = tabs[Math.min(at, tabs.length - 1)];
  if (next === undefined) return { tabs: [{ ...emptyTab(dialect), id: id + 1 }], active: id + 1 };
  return { tabs, active: state.active === id ? next.id : state.active };
}

/** Changes the tab that is shown. */
export function changeTab(state: Tabs, part: Partial<NewTab>): Tabs {
  return { ...state, tabs: state.tabs.map((tab) => (tab.id === state.active ? { ...tab, ...part } : tab)) };
}

/** What a tab is about: its saved query, or else the first table that its SQL reads. */
export function titleOf({ saved, texts, dialect }: Tab): string {
  if (saved !== '') return saved;
  const words = tokenise(texts[dialect] ?? '', dialect).filter(
    ({ kind, text }) => kind !== 'comment' && text.trim() !== '',
  );
  const from = words.findIndex(({ text }) => text.toUpperCase() === 'FROM');
  const name = from < 0 ? '' : (words[from + 1]?.text ?? '').replaceAll(/[`"]/g, '');
  return /^\w+$/.test(name) ? name : 'New query';
}

/** The tabs of the last visit; an empty one at first. */
export function readTabs(store: TextStore, dialect: string): Tabs {
  try {
    const stored = JSON.parse(store.getItem(key) ?? 'null') as Tabs | null;
    const tabs = (stored?.tabs ?? []).filter(isTab);
    const active = tabs.find(({ id }) => id === stored?.active) ?? tabs[0];
    if (active !== undefined) return { tabs, active: active.id };
  } catch {
    // The stored value is not ours.
  }
  return { tabs: [{ ...emptyTab(dialect), id: 1 }], active: 1 };
}

export function keepTabs(store: TextStore, tabs: Tabs): void {
  try {
    store.setItem(key, JSON.stringify(tabs));
  } catch {
    // The browser's storage is full. The tabs last as long as the page.
  }
}

function isTab(value: unknown): value is Tab {
  const tab = (value ?? {}) as Partial<Tab>;
  const isText = (text: unknown): boolean => typeof text === 'string';
  return (
    typeof tab.id === 'number' &&
    isText(tab.dialect) &&
    isText(tab.saved) &&
    typeof tab.kept === 'boolean' &&
    Object.values(tab.texts ?? { none: null }).every(isText) &&
    Object.values(tab.args ?? { none: null }).every((values) => Array.isArray(values) && values.every(isText))
  );
}
