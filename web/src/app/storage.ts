/** The part of Storage that the pages use. */
export type TextStore = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Opens a storage of the browser. If it is blocked, as in some private modes, values
 * last as long as the page.
 */
export function openStorage(open: () => Storage): TextStore {
  try {
    const storage = open();
    storage.getItem('');
    return storage;
  } catch {
    return memoryStore();
  }
}

/** A store that lasts as long as the page. */
export function memoryStore(): TextStore {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}
