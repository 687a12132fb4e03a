import { expect, test } from 'vitest';
import { csvOf } from './csv';

test('numbers keep every digit, and strings are quoted if needed', () => {
  expect(
    csvOf(
      ['a', 'b,c'],
      [
        [187.24561403508773, 'say "hi"'],
        [null, 'plain'],
      ],
    ),
  ).toBe('a,"b,c"\n187.24561403508773,"say ""hi"""\n,plain');
});
