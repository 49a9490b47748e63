/**
 * A view that may take longer than a snapshot has time for: worked on in slices, one snapshot after the other, on the
 * weights with which it began; meanwhile the last finished result is shown. Where all of it fits into a snapshot, it is
 * always of that snapshot's step. Snapshots hold one for each such view.
 */
import type { ModelState } from '../evaluator';

/** What all slices of a view should cost together, and about what one of them may. */
export const WHOLE_NS = 80e6;
export const CHUNK_NS = 10e6;

/** Yields the rough cost of each slice in nanoseconds and returns the result. */
export type Slices<T> = Iterator<number, T, undefined>;

export class SlicedView<T> {
  #running: Slices<T> | undefined;
  #last: T | undefined;

  constructor(private readonly start: (state: ModelState) => Slices<T>) {}

  /** `budgetNs` may be exceeded by a part of a slice. Infinity: all of it, on these weights. */
  take(state: ModelState, budgetNs: number): T | undefined {
    const whole = budgetNs === Number.POSITIVE_INFINITY;
    const slices = (!whole && this.#running) || this.start(state);
    this.#running = slices;
    for (let spent = 0; spent < budgetNs; ) {
      const { done, value } = slices.next();
      if (done) {
        this.#last = value;
        this.#running = undefined;
        break;
      }
      spent += value;
    }
    return this.#last;
  }
}
