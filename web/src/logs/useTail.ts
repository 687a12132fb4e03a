import { useEffect, useRef, useState } from 'react';
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
  /** Those that arrived while nothing is to move, newest first. */
  waiting: LogEntry[];
  /** How many events the server dropped, because this page was too slow. */
  dropped: number;
  connected: boolean;
  /** Why the server does not send events. */
  failure: Failure | null;
}

const nothing: Tail = { entries: [], waiting: [], dropped: 0, connected: false, failure: null };

type Message = TailSubscription['logsTail'];

/** What is followed. */
export interface TailSource {
  variables: TailSubscriptionVariables;
  /** Loads the newest events that are stored, newest first. */
  begin: () => Promise<LogEntry[]>;
  /** Whether an event that arrived is shown. */
  keeps: (entry: LogEntry) => boolean;
  /** Identifies what is followed: another key begins again. */
  key: string;
}

/**
 * Follows the logs until the component is removed or another selection is made. While it is held,
 * events that arrive wait. Another attempt connects again after a failure.
 */
export function useTail(source: TailSource, held: boolean, attempt: number): Tail & { clear: () => void } {
  const { session } = useServices();
  const { generation } = useAccess();
  const [tail, setTail] = useState(nothing);
  const key = JSON.stringify([generation, source.key]);
  const isHeld = useRef(held);
  useEffect(() => {
    isHeld.current = held;
    if (!held) setTail(release);
  }, [held]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the source.
  useEffect(() => {
    const ended = new AbortController();
    setTail(nothing);
    source.begin().then(
      (entries) => {
        if (!ended.signal.aborted) setTail((before) => ({ ...before, entries: joined(before.entries, entries) }));
      },
      () => undefined, // New events can be followed without the stored ones.
    );
    let arrived: Message[] = [];
    const draw = (): void => {
      const messages = arrived;
      arrived = [];
      if (messages.length > 0) setTail((before) => add(before, messages, isHeld.current, source.keeps));
    };
    const timer = setInterval(draw, drawEvery);
    const follow = async (): Promise<void> => {
      let failure: Failure | null = null;
      while (failure === null && !ended.signal.aborted) {
        failure = await followOnce(subscribe(session, source.variables, ended.signal), (message) => {
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
      ended.abort();
      clearInterval(timer);
    };
  }, [key, attempt, session]);
  return { ...tail, clear: () => setTail((before) => ({ ...before, entries: [], waiting: [], dropped: 0 })) };
}

/** The newest entries of two lists, each of them once. */
function joined(newer: readonly LogEntry[], older: readonly LogEntry[]): LogEntry[] {
  const known = new Set(newer.map(({ id }) => id));
  return [...newer, ...older.filter(({ id }) => !known.has(id))].slice(0, mostEvents);
}

/** Shows what has waited. */
export function release(tail: Tail): Tail {
  return tail.waiting.length === 0 ? tail : { ...tail, entries: joined(tail.waiting, tail.entries), waiting: [] };
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

/** Adds messages to what is shown, or to what waits. */
export function add(
  before: Tail,
  messages: readonly Message[],
  held = false,
  keeps: (entry: LogEntry) => boolean = () => true,
): Tail {
  const events = messages
    .flatMap((message) => message.events)
    .filter(keeps)
    .reverse();
  return {
    entries: held ? before.entries : joined(events, before.entries),
    waiting: held ? joined(events, before.waiting) : before.waiting,
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
