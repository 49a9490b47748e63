/** Since when work has been under way without any of it coming to its end. */
export interface BusyClock {
  /** By performance.now(); undefined: nothing is under way. */
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
