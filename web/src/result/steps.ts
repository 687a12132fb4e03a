import { useEffect, useMemo, useState } from 'react';

/** A computation in steps: between two of them, the page can draw itself. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** How long the page computes before it draws itself, in milliseconds. */
const longestTask = 10;
/** How many items are worked on between two steps. */
const perStep = 2000;

/** Runs all steps at once. */
export function finished<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Calls a function with each item and its position. */
export function* forEachIn<Item>(items: readonly Item[], use: (item: Item, index: number) => void): Steps<void> {
  for (let from = 0; from < items.length; from += perStep) {
    const to = Math.min(items.length, from + perStep);
    for (let index = from; index < to; index++) use(items[index] as Item, index);
    yield;
  }
}

/** Maps each item. */
export function* mapped<Item, Other>(items: readonly Item[], to: (item: Item, index: number) => Other): Steps<Other[]> {
  const others: Other[] = [];
  yield* forEachIn(items, (item, index) => others.push(to(item, index)));
  return others;
}

/** Sorts items; equal ones stay in order. */
export function* sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  let parts: Item[][] = [];
  for (let from = 0; from < items.length; from += perStep) {
    parts.push(items.slice(from, from + perStep).sort(compare));
    yield;
  }
  while (parts.length > 1) {
    const next: Item[][] = [];
    for (let at = 0; at < parts.length; at += 2) {
      next.push(yield* merged(parts[at] ?? [], parts[at + 1] ?? [], compare));
    }
    parts = next;
  }
  return parts[0] ?? [];
}

function* merged<Item>(left: Item[], right: Item[], compare: (a: Item, b: Item) => number): Steps<Item[]> {
  const all: Item[] = [];
  let [a, b] = [0, 0];
  while (a < left.length && b < right.length) {
    if (all.length % perStep === 0) yield;
    const [first, second] = [left[a] as Item, right[b] as Item];
    if (compare(first, second) <= 0) {
      all.push(first);
      a++;
    } else {
      all.push(second);
      b++;
    }
  }
  yield;
  for (; a < left.length; a++) all.push(left[a] as Item);
  for (; b < right.length; b++) all.push(right[b] as Item);
  return all;
}

/** The value of steps after at most some milliseconds; null if they are not finished. */
function continued<T>(steps: Steps<T>): { value: T } | null {
  const end = performance.now() + longestTask;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { value: step.value };
    if (performance.now() > end) return null;
  }
}

/** The value of a computation, at once if it is short; null while it lasts. Another function computes anew. */
export function useSteps<T>(begin: () => Steps<T>): T | null {
  const begun = useMemo(() => {
    const steps = begin();
    return { steps, first: continued(steps) };
  }, [begin]);
  const [late, setLate] = useState<{ of: object; value: T } | null>(null);
  useEffect(() => {
    if (begun.first !== null) return;
    let timer = setTimeout(function go() {
      const rest = continued(begun.steps);
      if (rest !== null) setLate({ of: begun, value: rest.value });
      else timer = setTimeout(go);
    });
    return () => clearTimeout(timer);
  }, [begun]);
  if (begun.first !== null) return begun.first.value;
  return late?.of === begun ? late.value : null;
}
