import { expect, test } from 'vitest';
import { readEvents } from './eventStream';

function bodyOf(...chunks: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
}

test.each([
  ['one event', ['event: next\ndata: {"a":1}\n\n'], [{ event: 'next', data: '{"a":1}' }]],
  ['comments are left out', [':\n\n:\n\nevent: next\ndata: 1\n\n'], [{ event: 'next', data: '1' }]],
  ['an event in pieces', ['eve', 'nt: next\nda', 'ta: {"a"', ':1}\n', '\n'], [{ event: 'next', data: '{"a":1}' }]],
  ['an event without data', ['event: complete\ndata:\n\n'], [{ event: 'complete', data: '' }]],
  ['an event that is not complete', ['event: next\ndata: 1\n'], []],
])('%s', async (_name, chunks, want) => {
  const events = [];
  for await (const event of readEvents(bodyOf(...chunks))) events.push(event);
  expect(events).toEqual(want);
});
