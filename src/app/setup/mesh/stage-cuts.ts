/**
 * The cuts between the stages of a pipeline, counted in layers with weights: a cut of 2 lies before the third of them.
 * To the split of the configuration, which counts all layers, and back. Pure; called by stages-editor.tsx.
 */

/** `starts`: indices of the layers with weights. A cut within what follows such a layer is drawn at the next one. */
export function cutsOf(split: readonly number[], starts: readonly number[]): readonly number[] {
  let layer = 0;
  return split.slice(0, -1).map((count) => {
    layer += count;
    const unit = starts.findIndex((start) => start >= layer);
    return unit < 0 ? starts.length : unit;
  });
}

/** Layers of each stage. */
export function splitOf(cuts: readonly number[], starts: readonly number[], layers: number): readonly number[] {
  const ends = [...cuts.map((cut) => starts[cut] ?? layers), layers];
  return ends.map((end, i) => end - (ends[i - 1] ?? 0));
}

/** A cut at another place, between its neighbours: no stage is without a layer. */
export function movedCut(cuts: readonly number[], cut: number, to: number, units: number): readonly number[] {
  const least = (cuts[cut - 1] ?? 0) + 1;
  const most = (cuts[cut + 1] ?? units) - 1;
  const place = Math.max(least, Math.min(most, to));
  return cuts.map((own, i) => (i === cut ? place : own));
}
