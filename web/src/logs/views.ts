import type { TextStore } from '../app/storage';

/** A link with a name. */
export interface SavedView {
  name: string;
  /** The path and the query of the page. */
  address: string;
}

const key = 'savedq.views.logs';

/** The saved views, by name. */
export function savedViews(store: TextStore): SavedView[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isView) : [];
  } catch {
    return []; // The stored value is not ours.
  }
}

/** Saves a view in place of one of the same name, and returns all. */
export function saveView(store: TextStore, view: SavedView): SavedView[] {
  const others = savedViews(store).filter(({ name }) => name !== view.name);
  return write(store, [...others, view]);
}

/** Removes a view, and returns the others. */
export function forgetView(store: TextStore, name: string): SavedView[] {
  return write(
    store,
    savedViews(store).filter((view) => view.name !== name),
  );
}

function write(store: TextStore, views: SavedView[]): SavedView[] {
  const sorted = views.toSorted((a, b) => a.name.localeCompare(b.name));
  store.setItem(key, JSON.stringify(sorted));
  return sorted;
}

/** Reports whether a stored value is a view of a page of this server: another address could lead anywhere. */
function isView(value: unknown): value is SavedView {
  const { name, address } = (value ?? {}) as Partial<SavedView>;
  return typeof name === 'string' && typeof address === 'string' && /^\/(?![/\\])/.test(address);
}
