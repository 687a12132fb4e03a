import { expect, test } from 'vitest';
import { emptyDraft, type PreviewPoint } from './declaration';
import { summaryOf } from './previewSummary';

const point = (outcome: PreviewPoint['outcome'], firing: boolean): PreviewPoint => ({
  at: '',
  value: 1,
  outcome,
  firing,
});

test('a preview counts what is met, and with checks in a row, what would fire', () => {
  const preview = {
    mistakes: {},
    measured: 'n',
    threshold: 1,
    stepSeconds: 10_800,
    points: [point('met', false), point('met', true), point('unmet', false)],
    partial: false,
  };
  expect(summaryOf(preview, emptyDraft)).toBe('The condition was met at 2 of 3 checks, one every 3 h.');
  expect(summaryOf({ ...preview, partial: true }, { ...emptyDraft, needed: '5', every: '1m' })).toBe(
    'The condition was met at 2 of 3 checks, one every 3 h. At 1 of them it would fire: 5 checks in a row, every 1m, were met. The time was over before the oldest checks.',
  );
});
