import { describe, expect, test } from 'vitest';
import { remember, remembered } from './remembered';
import { memoryStore } from './storage';

describe('remember', () => {
  test('stores the latest twelve of a kind, each once, latest first', () => {
    const store = memoryStore();
    for (let i = 1; i <= 13; i++) remember(store, 'project', `p${i}`);
    remember(store, 'project', 'p5');
    remember(store, 'project', '');
    remember(store, 'function', 'f');
    expect(remembered(store, 'project')).toEqual([
      'p5',
      'p13',
      'p12',
      'p11',
      'p10',
      'p9',
      'p8',
      'p7',
      'p6',
      'p4',
      'p3',
      'p2',
    ]);
    expect(remembered(store, 'function')).toEqual(['f']);
  });

  test.each(['{', '{}', '"p"', '[1]'])('what somebody else wrote is nothing: %s', (text) => {
    const store = memoryStore();
    store.setItem('savedq.used.project', text);
    expect(remembered(store, 'project')).toEqual([]);
  });
});
