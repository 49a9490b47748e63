/** The time since which calls have been running without any of them finishing. */
export interface BusyClock {
  /** In milliseconds of performance.now(); undefined: no call is running. */
  readonly sinceMs: number | undefined;
  during<T>(work: Promise<T>): Promise<T>;
}

export function createBusyClock(): BusyClock {
  let underWay = 0;
  let sinceMs: number | undefined;
  return {
    get sinceMs() {
      return sinceMs;
    },
    async during(work) {
      underWay++;
      sinceMs ??= performance.now();
      try {
        return await work;
      } finally {
        underWay--;
        sinceMs = underWay > 0 ? performance.now() : undefined;
      }
    },
  };
}
