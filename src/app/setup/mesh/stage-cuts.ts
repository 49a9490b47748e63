/**
 * Converts between the cuts of a pipeline's stages, counted in layers with weights (a cut of 2 is before the third such
 * layer), and the configuration's split, which counts all layers. Pure; called by stages-editor.tsx.
 */

/**
 * `starts`: indices of the layers with weights. A cut among the layers without weights is drawn at the next layer with
 * weights.
 */
export function cutsOf(split: readonly number[], starts: readonly number[]): readonly number[] {
  let layer = 0;
  return split.slice(0, -1).map((count) => {
    layer += count;
    const unit = starts.findIndex((start) => start >= layer);
    return unit < 0 ? starts.length : unit;
  });
}

/** The number of layers of each stage. */
export function splitOf(cuts: readonly number[], starts: readonly number[], layers: number): readonly number[] {
  const ends = [...cuts.map((cut) => starts[cut] ?? layers), layers];
  return ends.map((end, i) => end - (ends[i - 1] ?? 0));
}

/** Moves a cut, but not past its neighbours, so that no stage is empty. */
export function movedCut(cuts: readonly number[], cut: number, to: number, units: number): readonly number[] {
  const least = (cuts[cut - 1] ?? 0) + 1;
  const most = (cuts[cut + 1] ?? units) - 1;
  const place = Math.max(least, Math.min(most, to));
  return cuts.map((own, i) => (i === cut ? place : own));
}
