import { useCallback, useEffect, useRef, useState } from 'react';
import { type Failure, isAbort, toFailure } from '../api/failure';
import type { Pace } from '../api/freshness';
import { useAccess } from './context';

/** What is known about a question: nothing yet, an answer, a failure, or both. */
export interface Asked<Answer> {
  answer: Answer | null;
  /** Whether the answer is the one of the question before, which stays until this one has its own. */
  former: boolean;
  /** Why the latest attempt failed; an answer beside it is of an earlier one. */
  failure: Failure | null;
  /** Whether the server is being asked. */
  busy: boolean;
  /** When it will be asked again if the page is live; null for never. */
  next: Pace | null;
  /** Asks again; fresh bypasses the cache. */
  again: (fresh?: boolean) => void;
  /** Changes the answer by something that was learned in another way. */
  update: (change: (answer: Answer) => Answer) => void;
}

/** How a question is asked. */
export interface Question<Answer, Given> {
  /** Names the question: another key is another question. */
  key: string;
  /** Null where there is nothing to ask yet. */
  ask: ((options: { signal: AbortSignal; fresh: boolean }) => Promise<Given>) | null;
  /** Makes an answer of what the server gave and of the earlier answer, if there is one. */
  fold: (earlier: Answer | null, given: Given) => Answer;
  /** When an answer may have changed, and how to ask then; null for never. */
  next: (answer: Answer) => Pace | null;
  /** Whether to ask again by itself, as long as the page is visible. */
  live: boolean;
}

interface State<Answer> extends Pick<Asked<Answer>, 'answer' | 'former' | 'failure' | 'busy'> {
  key: string;
  /** Counts the tokens: what one of them let see is not for the next. */
  generation: number;
}

/** After a failure, the server is left in peace for a while. */
const afterFailure: Pace = { seconds: 15, fresh: false };

/** Asks a question, and again whenever its answer may have changed. */
export function useAnswer<Answer, Given>(question: Question<Answer, Given>): Asked<Answer> {
  const { generation } = useAccess();
  const key = `${generation} ${question.key}`;
  const askable = question.ask !== null;
  const [state, setState] = useState<State<Answer>>(() => unanswered(key, generation, askable));
  const current = askable ? stateFor(state, key, generation) : unanswered<Answer>(key, generation, false);
  const running = useRef<AbortController | null>(null);
  // The latest closures, for timers that were set by earlier renders.
  const latest = useRef(question);
  useEffect(() => {
    latest.current = question;
  });

  const again = useCallback(
    (fresh = false) => {
      const question = latest.current;
      if (question.ask === null) return;
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState((before) => ({ ...stateFor(before, key, generation), busy: true }));
      question.ask({ signal: controller.signal, fresh }).then(
        (given) => {
          if (controller.signal.aborted) return;
          setState((before) => ({
            ...unanswered(key, generation, false),
            answer: question.fold(ownAnswer(stateFor(before, key, generation)), given),
          }));
        },
        (thrown: unknown) => {
          if (controller.signal.aborted || isAbort(thrown)) return;
          setState((before) => ({
            ...unanswered(key, generation, false),
            answer: ownAnswer(stateFor(before, key, generation)),
            failure: toFailure(thrown),
          }));
        },
      );
    },
    [key, generation],
  );

  // A question is asked when it is new.
  useEffect(() => {
    if (askable) again();
    return () => running.current?.abort();
  }, [again, askable]);

  // And again when its answer may have changed. While it is being asked there is no
  // time for that, so each answer starts the clock anew.
  const { answer, former, failure, busy } = current;
  const next = failure !== null ? afterFailure : answer === null ? null : question.next(answer);
  const seconds = question.live && !busy && next !== null ? next.seconds : null;
  const fresh = next?.fresh ?? false;
  useEffect(() => {
    return seconds === null ? undefined : whenVisibleAfter(seconds * 1000, () => again(fresh));
  }, [seconds, fresh, again]);

  const update = useCallback(
    (change: (answer: Answer) => Answer) =>
      setState((before) =>
        before.key === key && !before.former && before.answer !== null
          ? { ...before, answer: change(before.answer) }
          : before,
      ),
    [key],
  );
  return { answer, former, failure, busy, next, again, update };
}

function unanswered<Answer>(key: string, generation: number, busy: boolean): State<Answer> {
  return { key, generation, answer: null, former: false, failure: null, busy };
}

/** What a state is to a question: its own, or that of the question before, whose answer stays for now. */
function stateFor<Answer>(state: State<Answer>, key: string, generation: number): State<Answer> {
  if (state.key === key) return state;
  const answer = state.generation === generation ? state.answer : null;
  return { ...unanswered(key, generation, true), answer, former: answer !== null };
}

/** The answer to the question itself, not to the one before. */
function ownAnswer<Answer>({ answer, former }: State<Answer>): Answer | null {
  return former ? null : answer;
}

/** Folds answers of which each stands for itself. */
export function replaceEarlier<Answer>(_earlier: Answer | null, given: Answer): Answer {
  return given;
}

/** Runs something once, after a time and not before the page is visible. */
function whenVisibleAfter(milliseconds: number, run: () => void): () => void {
  let due = false;
  const tryRun = (): void => {
    if (!due || document.visibilityState === 'hidden') return;
    stop();
    run();
  };
  const timer = setTimeout(() => {
    due = true;
    tryRun();
  }, milliseconds);
  document.addEventListener('visibilitychange', tryRun);
  const stop = (): void => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', tryRun);
  };
  return stop;
}

/** The time by this machine's clock, told anew every so many milliseconds. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
