/** A value that changes often, in React, at a bearable rate. */
import { useEffect, useRef, useState } from 'react';

/** Calls the listener after each change; returns a function that ends this. */
export type Subscribe = (listener: () => void) => () => void;

const same = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) ||
  (Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((item, index) => Object.is(item, b[index])));

/** The result of `read`, updated after changes: at most every `everyMs`, and always after the last change. */
export function useThrottled<T>(subscribe: Subscribe, read: () => T, everyMs: number): T {
  const [value, setValue] = useState(read);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastRead = Number.NEGATIVE_INFINITY;
    const readAgain = () => {
      timer = undefined;
      lastRead = performance.now();
      const next = latest.current();
      setValue((old) => (same(old, next) ? old : next));
    };
    const stop = subscribe(() => {
      timer ??= setTimeout(readAgain, Math.max(0, everyMs - (performance.now() - lastRead)));
    });
    readAgain();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [subscribe, everyMs]);
  return value;
}
