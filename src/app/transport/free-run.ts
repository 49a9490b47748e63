/** Whether the session runs freely, and a promise for when it no longer does: a step by hand must wait for that. */
export interface FreeRun {
  readonly now: boolean;
  set(now: boolean): void;
  /** Resolves at once when nothing runs. */
  idle(): Promise<void>;
}

/** `onChange`: it has begun, or ended. */
export function createFreeRun(onChange: () => void = () => undefined): FreeRun {
  let running = false;
  const waiting = new Set<() => void>();
  return {
    get now() {
      return running;
    },
    set(now) {
      running = now;
      onChange();
      if (now) return;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    idle: () => (running ? new Promise((resolve) => waiting.add(resolve)) : Promise.resolve()),
  };
}
