/**
 * A view that may take longer than a snapshot allows: computed in slices over several snapshots, from the weights with
 * which it began; meanwhile the last finished result is shown. If the whole view fits into one snapshot, it always
 * shows that snapshot's step. Snapshots hold one for each such view.
 */
import type { ModelState } from '../evaluator';

/** The intended cost of all slices of a view together, and the rough limit for one slice. */
export const WHOLE_NS = 80e6;
export const CHUNK_NS = 10e6;

/** Yields the rough cost of each slice in nanoseconds and returns the result. */
export type Slices<T> = Iterator<number, T, undefined>;

export class SlicedView<T> {
  #running: Slices<T> | undefined;
  #last: T | undefined;

  constructor(private readonly start: (state: ModelState) => Slices<T>) {}

  /** `budgetNs` may be exceeded by less than a slice. Infinity: computes the whole view from these weights. */
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
