/**
 * A feature's own part of the page's state. The feature declares it (`sliceOf`), reads it with `useSlice` and writes it
 * with `writeSlice`; the store keeps values by slice and does not look into them.
 */

export interface StateSlice<S> {
  /** Name for debugging the store. */
  readonly name: string;
  /** The value before anything is written. */
  readonly initial: S;
}

/** The values of all slices. */
export interface WithSlices {
  readonly slices: ReadonlyMap<StateSlice<unknown>, unknown>;
}

interface SliceStore {
  setState(change: (state: WithSlices) => WithSlices): void;
}

export const sliceOf = <S>(name: string, initial: S): StateSlice<S> => ({ name, initial });

/** Only `writeSlice` puts values in, so the value has the slice's type. */
export const readSlice = <S>({ slices }: WithSlices, slice: StateSlice<S>): S =>
  slices.has(slice) ? (slices.get(slice) as S) : slice.initial;

export function writeSlice<S>(store: SliceStore, slice: StateSlice<S>, value: S): void {
  store.setState(({ slices }) => ({ slices: new Map(slices).set(slice, value) }));
}
