import { expect, test } from 'vitest';
import { indentJson } from './indent';

test('indents JSON text as it is', () => {
  const text = '{"result":[{"b":1.50,"10":[],"2":{ },"a":"x: [1,2] \\" {","n":[1e2,null]}]}';
  const want = `{
  "result": [
    {
      "b": 1.50,
      "10": [],
      "2": { },
      "a": "x: [1,2] \\" {",
      "n": [
        1e2,
        null
      ]
    }
  ]
}`;
  expect(indentJson(text)).toBe(want);
});
