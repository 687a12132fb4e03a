import { describe, expect, test } from 'vitest';
import { takeToken } from './fragment';

describe('takeToken', () => {
  test.each([
    ['none', '', null],
    ['another fragment', '#main', null],
    ['part of a word', '#mytoken=abc', null],
    ['a token', '#token=savedq_a-b_C', { token: 'savedq_a-b_C', rest: '' }],
    ['percent-encoded', '#token=a%2Fb%3D', { token: 'a/b=', rest: '' }],
    ['a plus is no space', '#token=a+b', { token: 'a+b', rest: '' }],
    ['a lone percent sign', '#token=a%', { token: 'a%', rest: '' }],
    ['what else there is stays', '#x=1&token=abc&main', { token: 'abc', rest: '#x=1&main' }],
    ['empty', '#token=', { token: '', rest: '' }],
  ])('%s', (_name, fragment, want) => {
    expect(takeToken(fragment)).toEqual(want);
  });
});
