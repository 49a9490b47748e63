/**
 * The dropout masks that a Program's processes draw in each step, in order, and the masks of the single-device
 * reference, assembled from these.
 */
import { must } from '../base/invariant';
import type { DrawnMask, MaskDraw } from '../data/draw-masks';
import type { Program } from '../program/instruction';
import { merge } from '../sharding/slice';
import { elements } from '../tensor/shape';

/**
 * Device by device, in the order of the forward pass. (In one process with several GPUs PyTorch draws on each GPU; here
 * the CPU generator draws all masks.)
 */
export function maskDraws({ lanes }: Program): readonly MaskDraw[] {
  return lanes.flatMap(({ device, buffers, instructions }) =>
    instructions.flatMap((i): MaskDraw[] => {
      if (i.kind !== 'load' || i.source !== 'mask') return [];
      const spec = must(
        buffers.find((b) => b.name === i.buffer),
        i.buffer,
      );
      const { dataIndex, draw = i.buffer, microBatch = 0, p = 0, region, half } = i;
      const rest = { ...(region ? { region } : {}), ...(half ? { half } : {}) };
      return [{ dataIndex, device, buffer: draw, microBatch, elements: elements(spec.shape), p, ...rest }];
    }),
  );
}

/**
 * The reference sees the whole batch: the rows of all devices in order, within a device in the order of its
 * micro-batches. So it gets the masks in this order, too.
 */
export function joinedMasks(masks: readonly DrawnMask[]): readonly DrawnMask[] {
  const parts = new Map<string, Float32Array[]>();
  for (const { buffer, data } of wholeMasks(masks).toSorted(
    (a, b) => a.device - b.device || a.microBatch - b.microBatch,
  )) {
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

/** Assembles masks of which several devices have pieces: one per data index. */
function wholeMasks(masks: readonly DrawnMask[]): readonly DrawnMask[] {
  const shared = new Map<string, [DrawnMask, ...DrawnMask[]]>();
  const own: DrawnMask[] = [];
  for (const mask of masks) {
    const key = `${mask.region?.dataIndex} ${mask.microBatch} ${mask.buffer}`;
    const parts = shared.get(key);
    if (!mask.region) own.push(mask);
    else if (parts) parts.push(mask);
    else shared.set(key, [mask]);
  }
  const wholes = [...shared.values()].map(([first, ...others]): DrawnMask => {
    const held = [first, ...others].map(({ data, region }) => ({ data, piece: must(region, 'a region').piece }));
    return { ...first, data: merge(must(first.region, 'a region').shape, held) };
  });
  return [...own, ...wholes];
}
