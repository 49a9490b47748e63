/**
 * Which dropout masks a Program's processes draw each step, in order; and the masks of the single-device reference, put
 * together from theirs.
 */
import { must } from '../base/invariant';
import type { DrawnMask, MaskDraw } from '../data/batch-source';
import type { Program } from '../program/instruction';
import { elements } from '../tensor/shape';

/**
 * Device by device, in the order of the forward pass. (On one process with several GPUs PyTorch draws on each GPU; here
 * all draws are the CPU generator's.)
 */
export function maskDraws({ lanes }: Program): readonly MaskDraw[] {
  return lanes.flatMap(({ device, buffers, instructions }) =>
    instructions.flatMap((i): MaskDraw[] => {
      if (i.kind !== 'load' || i.source !== 'mask') return [];
      const spec = must(
        buffers.find((b) => b.name === i.buffer),
        i.buffer,
      );
      const { dataIndex, draw = i.buffer, microBatch = 0, p = 0 } = i;
      return [{ dataIndex, device, buffer: draw, microBatch, elements: elements(spec.shape), p }];
    }),
  );
}

/**
 * The reference sees the whole batch: the rows of all devices one after the other, and of each device those of its
 * micro-batches, so their masks too.
 */
export function joinedMasks(masks: readonly DrawnMask[]): readonly DrawnMask[] {
  const parts = new Map<string, Float32Array[]>();
  for (const { buffer, data } of masks.toSorted((a, b) => a.device - b.device || a.microBatch - b.microBatch)) {
    const list = parts.get(buffer);
    if (list) list.push(data);
    else parts.set(buffer, [data]);
  }
  return [...parts].map(([buffer, list]) => {
    const data = new Float32Array(list.reduce((n, part) => n + part.length, 0));
    let offset = 0;
    for (const part of list) {
      data.set(part, offset);
      offset += part.length;
    }
    return { device: 0, buffer, microBatch: 0, data };
  });
}
