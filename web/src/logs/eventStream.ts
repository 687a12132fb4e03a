/** A server-sent event. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Reads the events of a response (the event stream format of HTML) until it ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseBlock(block);
        if (event !== null) yield event;
      }
    }
  } finally {
    await reader.cancel();
  }
}

/** Parses the lines of an event; null for a comment. */
export function parseBlock(block: string): ServerEvent | null {
  const found: ServerEvent = { event: '', data: '' };
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(event|data):? ?(.*)$/.exec(line) ?? [];
    if (name === 'event' || name === 'data') found[name] += value;
  }
  return found.event === '' ? null : found;
}
