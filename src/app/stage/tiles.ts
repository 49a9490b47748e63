/**
 * Copies small matrices that are consecutive in memory into a new array, set as a grid; the copy is kept as long as the
 * values live. Called for filters and for the channels of an image.
 */
import type { Tiles } from './matrix-window';

function arrange(values: Float32Array, { rows, columns, across, count }: Tiles): Float32Array {
  const stride = across * columns;
  const down = Math.ceil(count / across);
  const grid = new Float32Array(down * rows * stride);
  for (let tile = 0; tile < count; tile++) {
    const left = (tile % across) * columns;
    const top = Math.floor(tile / across) * rows;
    for (let i = 0; i < rows * columns; i++) {
      grid[(top + Math.floor(i / columns)) * stride + left + (i % columns)] = values[tile * rows * columns + i] ?? 0;
    }
  }
  return grid;
}

export type TiledValues = (values: Float32Array, tiles: Tiles) => Float32Array;

/** The owner keeps this function as long as it draws from the same trace. */
export function createTiledValues(): TiledValues {
  const made = new WeakMap<Float32Array, Map<string, Float32Array>>();
  return (values, tiles) => {
    const kept = made.get(values) ?? new Map<string, Float32Array>();
    made.set(values, kept);
    const key = `${tiles.rows}x${tiles.columns}x${tiles.across}x${tiles.count}`;
    const grid = kept.get(key) ?? arrange(values, tiles);
    kept.set(key, grid);
    return grid;
  };
}
