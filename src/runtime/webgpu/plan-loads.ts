/**
 * Turns loads into writes. All host data of a step is written before its submit; adjacent regions of several devices
 * are one write from one staging array, which is made once. A load into memory that an earlier instruction of the same
 * step still uses goes through an upload buffer and is copied when the instruction runs.
 */
import { LockstepError } from '../../base/errors';
import { at } from '../../base/invariant';
import type { Load } from '../../program/instruction';
import type { Placed } from '../../program/ready-heads';
import type { DeviceIndex } from '../../protocol/trace';
import { elements, tensorBytes } from '../../tensor/shape';
import type { Feed } from '../executor';
import type { GpuMemory } from './executor-memory';
import { WORD_BYTES, wordAt, wordsOfTensor } from './gpu-words';
import type { Location, MemoryLayout } from './memory-layout';
import type { TransferMove } from './plan-transfer';

interface LoadItem {
  readonly device: DeviceIndex;
  readonly load: Load;
  readonly word: number;
  readonly location: Location;
}

export interface LoadPlan {
  /** Where the staging array goes. */
  readonly buffer: number;
  readonly offset: number;
  readonly floats: Float32Array<ArrayBuffer>;
  readonly ints: Int32Array<ArrayBuffer>;
  readonly items: readonly LoadItem[];
}

/** Padding that is worth writing to save a call. */
const MERGE_PADDING_BYTES = 4096;

export interface PlannedLoads {
  readonly writes: readonly LoadPlan[];
  /** Copies from the upload buffer, for loads that are not `early`. */
  readonly moves: readonly TransferMove[];
}

/** `early(location)`: no earlier instruction of the Program touches that memory. */
export function planLoads(
  loads: readonly Placed<Load>[],
  locate: (device: DeviceIndex, name: string) => Location,
  early: (location: Location) => boolean,
  layout: MemoryLayout,
): PlannedLoads {
  const placed = loads.map(({ device, instruction }) => ({
    device,
    load: instruction,
    location: locate(device, instruction.buffer),
  }));
  placed.sort((a, b) => a.location.buffer - b.location.buffer || a.location.offset - b.location.offset);
  const writes: LoadPlan[] = [];
  const moves: TransferMove[] = [];
  let run: typeof placed = [];
  const flush = () => {
    if (run.length > 0) writes.push(directWrite(run));
    run = [];
  };
  for (const item of placed) {
    if (!early(item.location)) {
      const words = wordsOfTensor(item.location.spec);
      const upload = layout.reserve(`upload of ${item.load.buffer} of cuda:${item.device}`, words * WORD_BYTES);
      writes.push(makePlan(upload, 0, words, [{ ...item, word: 0 }]));
      moves.push({ source: upload, from: 0, target: item.location.buffer, to: wordAt(item.location), length: words });
      continue;
    }
    const last = run.at(-1)?.location;
    const adjacent =
      last !== undefined && last.buffer === item.location.buffer && last.offset + last.area === item.location.offset;
    if (!adjacent || last.area - tensorBytes(last.spec) > MERGE_PADDING_BYTES) flush();
    run.push(item);
  }
  flush();
  return { writes, moves };
}

function directWrite(run: readonly { device: DeviceIndex; load: Load; location: Location }[]): LoadPlan {
  const first = at(run, 0).location;
  const last = at(run, run.length - 1).location;
  const words = wordAt(last) - wordAt(first) + wordsOfTensor(last.spec);
  const items = run.map((item) => ({ ...item, word: wordAt(item.location) - wordAt(first) }));
  return makePlan(first.buffer, first.offset, words, items);
}

function makePlan(buffer: number, offset: number, words: number, items: readonly LoadItem[]): LoadPlan {
  const staging = new ArrayBuffer(words * WORD_BYTES);
  return { buffer, offset, floats: new Float32Array(staging), ints: new Int32Array(staging), items };
}

export function runLoads(plans: readonly LoadPlan[], feed: Feed, memory: GpuMemory): void {
  for (const plan of plans) {
    const { buffer, offset, floats, ints, items } = plan;
    for (const item of items) {
      const data = feed(item.load, item.device);
      if (data.length !== elements(item.location.spec.shape)) throw wrongSize(item, data.length);
      if (items.length === 1) {
        memory.write(buffer, offset, data);
        continue;
      }
      if (data instanceof Int32Array) ints.set(data, item.word);
      else floats.set(data, item.word);
    }
    if (items.length > 1) memory.write(buffer, offset, floats);
  }
}

function wrongSize({ load, device, location }: LoadItem, got: number): LockstepError {
  return new LockstepError(
    'data',
    `Load of ${load.buffer} on cuda:${device} expects ${elements(location.spec.shape)} elements, got ${got}.`,
    'The batch does not have the size that the program was compiled for.',
  );
}
