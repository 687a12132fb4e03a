import { useEffect, useState } from 'react';
import { Failure, toFailure } from '../api/failure';
import { asObject, type Json, parseJson } from '../api/json';
import { serverPath } from '../api/server';
import type { Session } from '../api/session';
import { useAccess, useServices } from '../app/context';
import { readEvents } from './eventStream';
import { TailDocument, type TailSubscription, type TailSubscriptionVariables } from './gql/graphql';
import type { LogEntry } from './loaded';

/** How many events are shown. */
export const mostEvents = 500;
/** How often arrived events are drawn, in milliseconds. */
const drawEvery = 250;
/** How long to wait before another connection, in milliseconds. */
const reconnectAfter = 2000;

/** The state of following the logs. */
export interface Tail {
  /** Newest first. */
  entries: LogEntry[];
  /** How many events the server dropped, because this page was too slow. */
  dropped: number;
  connected: boolean;
  /** Why the server does not send events. */
  failure: Failure | null;
}

const nothing: Tail = { entries: [], dropped: 0, connected: false, failure: null };

type Message = TailSubscription['logsTail'];

/**
 * Follows the logs until the component is removed, another selection is made, or it is
 * paused. Another attempt connects again after a failure.
 */
export function useTail(
  variables: TailSubscriptionVariables,
  paused: boolean,
  attempt: number,
): Tail & { clear: () => void } {
  const { session } = useServices();
  const { generation } = useAccess();
  const [tail, setTail] = useState(nothing);
  const key = JSON.stringify([generation, variables]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection has other events.
  useEffect(() => setTail(nothing), [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the variables.
  useEffect(() => {
    if (paused) return;
    const ended = new AbortController();
    let arrived: Message[] = [];
    const draw = (): void => {
      const messages = arrived;
      arrived = [];
      if (messages.length > 0) setTail((before) => add(before, messages));
    };
    const timer = setInterval(draw, drawEvery);
    const follow = async (): Promise<void> => {
      let failure: Failure | null = null;
      while (failure === null && !ended.signal.aborted) {
        failure = await followOnce(subscribe(session, variables, ended.signal), (message) => {
          arrived.push(message);
          if (message.events.length === 0) draw(); // it has begun
        });
        if (ended.signal.aborted) return;
        setTail((before) => ({ ...before, connected: false, failure }));
        if (failure === null) await new Promise((resolve) => setTimeout(resolve, reconnectAfter));
      }
    };
    void follow();
    return () => {
      draw();
      ended.abort();
      clearInterval(timer);
      setTail((before) => ({ ...before, connected: false }));
    };
  }, [key, paused, attempt, session]);
  return { ...tail, clear: () => setTail((before) => ({ ...before, entries: [], dropped: 0 })) };
}

/** Receives the messages of one connection. Returns why there is no use in another one, if so. */
async function followOnce(messages: AsyncIterable<Message>, receive: (message: Message) => void) {
  try {
    for await (const message of messages) receive(message);
  } catch (thrown) {
    const failure = toFailure(thrown);
    // A server that is gone may come back, and one that rejects the token asks for another.
    return ['UNEXPECTED_RESPONSE', 'UNAUTHENTICATED'].includes(failure.details.code) ? null : failure;
  }
  return null;
}

/** Adds messages to what is shown. */
export function add(before: Tail, messages: readonly Message[]): Tail {
  const events = messages.flatMap((message) => message.events).reverse();
  return {
    entries: [...events, ...before.entries].slice(0, mostEvents),
    dropped: messages.reduce((sum, message) => sum + message.dropped, before.dropped),
    connected: true,
    failure: null,
  };
}

/** Subscribes over server-sent events, which can send the token in a header. */
async function* subscribe(session: Session, variables: TailSubscriptionVariables, signal: AbortSignal) {
  const headers = { Accept: 'text/event-stream', 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query: TailDocument.toString(), variables });
  const response = await session.fetch(serverPath('/graphql'), { method: 'POST', headers, body, signal });
  if (!response.ok || response.body === null) {
    throw new Failure({
      code: 'UNEXPECTED_RESPONSE',
      message: `The server responded with the status ${response.status}.`,
    });
  }
  for await (const { event, data } of readEvents(response.body)) {
    if (event === 'complete') return;
    const result = asObject(parseJson(data));
    const error = asObject(Array.isArray(result?.errors) ? result.errors[0] : undefined);
    if (error !== null) throw failureOf(error);
    // The server responds according to the schema, which the types come from.
    if (result !== null) yield (result.data as unknown as TailSubscription).logsTail;
  }
}

function failureOf(error: { [key: string]: Json }): Failure {
  const extensions = asObject(error.extensions);
  const argument = extensions?.argument;
  return new Failure({
    code: String(extensions?.code),
    message: String(error.message),
    ...(typeof argument === 'string' ? { argument } : {}),
  });
}
