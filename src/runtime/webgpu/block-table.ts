/**
 * Block tables of segmented kernels: every stretch is cut into blocks, one row per block: an element offset per
 * binding, the count, and `extra` (transfer-within: the source's offset; else 0). Offsets count from the start of the
 * GPUBuffer, which is bound whole. How many invocations share a block depends on how long the stretches are: a
 * workgroup costs much more than a row.
 */
import { BLOCK_STEPS } from '../../graph/op';

export interface BlockStretch {
  /** Element offset per binding; a fixed offset does not advance with the blocks. */
  readonly at: readonly { readonly offset: number; readonly fixed?: boolean | undefined }[];
  readonly length: number;
  /** Advances with the blocks. */
  readonly extra?: number;
}

export interface BlockTable {
  readonly words: Uint32Array<ArrayBuffer>;
  /** The override LANES. */
  readonly lanes: number;
  readonly workgroups: readonly [number, number, number];
}

/** Invocations per workgroup of every segmented kernel. */
const WORKGROUP = 64;
/** Eight floats are a 32-byte sector: narrower blocks would waste memory traffic on real GPUs. */
const NARROW = 8;
/**
 * Steps of a long block, used while this many workgroups remain: on a software adapter more workgroups cost more than
 * their elements.
 */
const LONG_STEPS = 4 * BLOCK_STEPS;
const ENOUGH_WORKGROUPS = 32;
const MAX_WORKGROUPS = 65_535;

export function blockTable(stretches: readonly BlockStretch[]): BlockTable {
  const total = stretches.reduce((sum, { length }) => sum + length, 0);
  const lanes = total >= (stretches.length * WORKGROUP * BLOCK_STEPS) / 2 ? WORKGROUP : NARROW;
  const long = total >= ENOUGH_WORKGROUPS * WORKGROUP * LONG_STEPS && lanes === WORKGROUP;
  return tableOf(stretches, lanes, lanes * (long ? LONG_STEPS : BLOCK_STEPS));
}

/**
 * For kernels whose invocations move vectors of four: eight invocations move 128 bytes at a time, and long and short
 * stretches may be in one dispatch.
 */
export const blockTableOfVectors = (stretches: readonly BlockStretch[]): BlockTable =>
  tableOf(stretches, NARROW, NARROW * LONG_STEPS);

/** `size`: the most elements of a block. */
function tableOf(stretches: readonly BlockStretch[], lanes: number, size: number): BlockTable {
  const bindings = stretches[0]?.at.length ?? 0;
  const width = bindings + 2;
  const blocks = stretches.reduce((sum, { length }) => sum + Math.ceil(length / size), 0);
  const words = new Uint32Array(blocks * width);
  let row = 0;
  for (const { at, length, extra } of stretches) {
    for (let done = 0; done < length; done += size) {
      at.forEach(({ offset, fixed }, binding) => {
        words[row + binding] = fixed ? offset : offset + done;
      });
      words[row + bindings] = Math.min(size, length - done);
      words[row + bindings + 1] = extra === undefined ? 0 : extra + done;
      row += width;
    }
  }
  return { words, lanes, workgroups: fold(Math.ceil((blocks * lanes) / WORKGROUP)) };
}

/** More than 65,535 workgroups are arranged in rows. The kernels ignore the surplus of the last row. */
function fold(workgroups: number): readonly [number, number, number] {
  const rows = Math.max(1, Math.ceil(workgroups / MAX_WORKGROUPS));
  return [Math.ceil(workgroups / rows), rows, 1];
}
