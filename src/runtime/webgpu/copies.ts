/**
 * Results that several devices need, computed once and then copied by copyBufferToBuffer. On a software adapter such a
 * copy takes a fortieth of the time in which a kernel writes as much. A GPU computes the results on all devices at
 * once, which is faster there than copies between two compute passes. Planned by plan-step, encoded by shared-run.
 */
import { at } from '../../base/invariant';
import type { Fold } from '../../program/fold-movements';
import type { Repeated } from '../../program/same-values';
import type { DeviceIndex } from '../../protocol/trace';
import type { GpuMemory } from './executor-memory';
import { WORD_BYTES, wordAt, wordsOf, wordsOfTensor } from './gpu-words';
import type { Location, MemoryLayout } from './memory-layout';

/** A place in a GPUBuffer, in words. */
interface WordPlace {
  readonly buffer: number;
  readonly word: number;
}

export interface CopySpec {
  readonly source: WordPlace;
  readonly targets: readonly WordPlace[];
  readonly words: number;
  /** The buffer between source and targets: WebGPU does not copy within one GPUBuffer. Absent: not needed. */
  readonly through?: number;
}

export interface CopiesAfter {
  /** The copies run after this many dispatches of the step. */
  readonly dispatches: number;
  readonly copies: readonly CopySpec[];
}

type Locate = (device: DeviceIndex, name: string) => Location;

/** For fewer words, copies are not faster than what they replace. */
const LONG = 32_768;

/** Whether copying the results of a computation is faster than computing them again. */
export const isWorthCopying = ({ first: { device, instruction } }: Repeated, locate: Locate): boolean =>
  [...instruction.inputs, ...instruction.outputs].reduce(
    (sum, name) => sum + wordsOfTensor(locate(device, name).spec),
    0,
  ) >= LONG;

/** Copies the results of the first of each group to the others. */
export function copyResults(repeated: readonly Repeated[], locate: Locate, layout: MemoryLayout): readonly CopySpec[] {
  const specs = repeated.flatMap(({ first, others }): CopySpec[] => {
    if (others.length === 0) return [];
    return first.instruction.outputs.map((name, k) => {
      const source = locate(first.device, name);
      const targets = others.map(({ device, instruction }) => wordPlace(locate(device, at(instruction.outputs, k))));
      return { source: wordPlace(source), targets, words: wordsOfTensor(source.spec) };
    });
  });
  return viaStaging(specs, layout);
}

interface FoldedOnce {
  readonly folds: readonly Fold[];
  readonly copies?: readonly CopySpec[];
}

/** Folds with one target each, and copies to the other targets. Short folds stay as they are. */
export function foldOnce(folds: readonly Fold[], locate: Locate, layout: MemoryLayout): FoldedOnce {
  const saved = folds.reduce((sum, fold) => sum + (fold.targets.length - (isCopy(fold) ? 0 : 1)) * fold.length, 0);
  if (saved < LONG) return { folds };
  const specs: CopySpec[] = [];
  for (const fold of folds) {
    const [source, ...targets] = [...(isCopy(fold) ? fold.terms : []), ...fold.targets].map((place) =>
      wordPlace(locate(place.device, place.buffer), place.offset),
    );
    if (!source || targets.length === 0) continue;
    const { device, buffer } = at(fold.targets, 0);
    const spec = { source, targets, words: wordsOf(locate(device, buffer).spec.dtype, fold.length) };
    const last = specs.at(-1);
    if (last && continues(last, spec)) specs[specs.length - 1] = { ...last, words: last.words + spec.words };
    else specs.push(spec);
  }
  const sums = folds.filter((fold) => !isCopy(fold));
  return {
    folds: sums.map((fold) => ({ ...fold, targets: fold.targets.slice(0, 1) })),
    copies: viaStaging(specs, layout),
  };
}

const isCopy = ({ terms, scale, after }: Fold): boolean => terms.length === 1 && scale === 1 && after === 1;

const wordPlace = (location: Location, element = 0): WordPlace => ({
  buffer: location.buffer,
  word: wordAt(location, element),
});

/** Whether `next` begins where `spec` ends, in all places. */
function continues(spec: CopySpec, next: CopySpec): boolean {
  const places = [spec.source, ...spec.targets];
  const others = [next.source, ...next.targets];
  return (
    places.length === others.length &&
    places.every((a, k) => {
      const b = at(others, k);
      return a.buffer === b.buffer && a.word + spec.words === b.word;
    })
  );
}

function viaStaging(specs: readonly CopySpec[], layout: MemoryLayout): readonly CopySpec[] {
  const within = ({ source, targets }: CopySpec) => targets.some(({ buffer }) => buffer === source.buffer);
  const most = Math.max(0, ...specs.filter(within).map(({ words }) => words));
  if (most === 0) return specs;
  const through = layout.copyStaging(most * WORD_BYTES);
  return specs.map((spec) => (within(spec) ? { ...spec, through } : spec));
}

export function encodeCopies(encoder: GPUCommandEncoder, copies: readonly CopySpec[], memory: GpuMemory): void {
  for (const { source, targets, words, through } of copies) {
    const bytes = words * WORD_BYTES;
    let [from, start] = [memory.buffer(source.buffer), source.word * WORD_BYTES];
    if (through !== undefined) {
      const staging = memory.buffer(through);
      encoder.copyBufferToBuffer(from, start, staging, 0, bytes);
      [from, start] = [staging, 0];
    }
    for (const { buffer, word } of targets)
      encoder.copyBufferToBuffer(from, start, memory.buffer(buffer), word * WORD_BYTES, bytes);
  }
}
