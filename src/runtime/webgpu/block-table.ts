/**
 * Block tables of segmented kernels: every stretch is cut into blocks of at most BLOCK_ELEMENTS, one row and one workgroup a block. A row is
 * an element offset a binding, the count, and `extra` (transfer-within: the source's offset; else 0). Offsets count from the
 * start of the GPUBuffer, which is bound whole.
 */
import { BLOCK_ELEMENTS } from '../../graph/op';

export interface Stretch {
  /** Element offset a binding; a fixed one does not advance with the blocks. */
  readonly at: readonly { readonly offset: number; readonly fixed?: boolean | undefined }[];
  readonly length: number;
  /** Advances with the blocks. */
  readonly extra?: number;
}

export function blockTable(stretches: readonly Stretch[]): Uint32Array<ArrayBuffer> {
  const bindings = stretches[0]?.at.length ?? 0;
  const width = bindings + 2;
  const blocks = stretches.reduce((sum, stretch) => sum + Math.ceil(stretch.length / BLOCK_ELEMENTS), 0);
  const words = new Uint32Array(blocks * width);
  let row = 0;
  for (const { at, length, extra } of stretches) {
    for (let done = 0; done < length; done += BLOCK_ELEMENTS) {
      at.forEach(({ offset, fixed }, binding) => {
        words[row + binding] = fixed ? offset : offset + done;
      });
      words[row + bindings] = Math.min(BLOCK_ELEMENTS, length - done);
      words[row + bindings + 1] = extra === undefined ? 0 : extra + done;
      row += width;
    }
  }
  return words;
}

const MAX_WORKGROUPS = 65_535;

/** One workgroup a block; beyond 65,535 in rows. The kernels leave the surplus of the last row alone. */
export function blockWorkgroups(blocks: number): readonly [number, number, number] {
  const rows = Math.ceil(blocks / MAX_WORKGROUPS);
  return [Math.ceil(blocks / Math.max(1, rows)), rows, 1];
}
