/**
 * Finds the steps of DDP in a recording: when each gradient was ready on each rank, its size, and its all-reduce. Needs
 * shapes (torch.profiler with record_shapes=True). Called by `what-if.ts`.
 */
import { LockstepError } from '../../base/errors';
import type { RecordedCollective, RecordedRank, Recording, RecordingRank } from '../recording';
import { firstFrom } from '../spans';
import { median } from '../traces/align-clocks';

export interface Gradient {
  readonly bytes: number;
  readonly readyUs: number;
}

export interface DdpRank {
  readonly rank: RecordingRank;
  readonly startUs: number;
  /** The gradients in the order in which backward made them. */
  readonly gradients: readonly Gradient[];
  /** The median time from a bucket's last gradient to the start of its all-reduce on this rank. */
  readonly handoverUs: number;
  /**
   * The time from the last gradient or the last all-reduce, whichever is later, to the step's end: wait() returns, the
   * optimizer runs.
   */
  readonly tailUs: number;
  readonly endUs: number;
}

export interface RecordedDdpStep {
  readonly step: number;
  readonly ranks: readonly DdpRank[];
  /** The all-reduces in order; their sizes add up to the gradients'. */
  readonly allReduces: readonly RecordedCollective[];
  /** For each bucket, the index of its last gradient plus one. */
  readonly cuts: readonly number[];
}

const ACCUMULATE = 'torch::autograd::AccumulateGrad';

export function ddpSteps(recording: Recording): readonly RecordedDdpStep[] {
  const reasons = new Set<string>();
  const found = recording.steps.flatMap((step): RecordedDdpStep[] => {
    const made = ddpStep(recording, step);
    if (typeof made !== 'string') return [made];
    reasons.add(made);
    return [];
  });
  if (found.length > 0) return found;
  throw new LockstepError(
    'data',
    `Another bucket cap or link cannot be modelled: ${[...reasons][0] ?? 'no step is marked'}.`,
    'Record a DDP run by torch.profiler, with record_shapes=True and prof.step() in each step.',
  );
}

function ddpStep({ ranks, collectives }: Recording, step: number): RecordedDdpStep | string {
  const perRank = ranks.map((rank) => ({ rank, window: rank.steps.find((of) => of.marked && of.step === step) }));
  const present = perRank.flatMap(({ rank, window }) => (window ? [{ rank, window }] : []));
  if (present.length < ranks.length || present.length < 2) return 'fewer than two ranks have marked steps';
  const allGradients = present.map(({ rank, window }) => gradientsIn(rank, window.startUs, window.endUs));
  const [first = []] = allGradients;
  if (first.length === 0) return 'no gradient with its shape was recorded';
  if (allGradients.some((own) => own.length !== first.length)) return 'ranks have different numbers of gradients';
  const beginUs = first[0]?.readyUs ?? 0;
  const own = collectives.filter(
    (of) => of.kind === 'all_reduce' && of.step === step && of.parts.length === ranks.length,
  );
  const late = own.filter(({ parts }) => (parts[0]?.startUs ?? 0) >= beginUs);
  const cuts = cutsOf(
    first.map(({ elements }) => elements),
    late.map(({ elements }) => elements),
  );
  const [sample] = late;
  if (!cuts || !sample) return 'the sizes of the all-reduces do not add up to those of the gradients';
  const allReduces = late.slice(0, cuts.length);
  const elementBytes = sample.elements > 0 ? sample.bytes / sample.elements : 4;
  return {
    step,
    allReduces,
    cuts,
    ranks: present.map(({ rank, window }, index): DdpRank => {
      const gradients = (allGradients[index] ?? []).map(({ elements, readyUs }) => ({
        bytes: elements * elementBytes,
        readyUs,
      }));
      const parts = allReduces.map((of) => of.parts.find((part) => part.rank === rank.rank));
      const handovers = parts.flatMap((part, k) => {
        const ready = gradients[(cuts[k] ?? 1) - 1]?.readyUs;
        const before = parts[k - 1]?.endUs ?? Number.NEGATIVE_INFINITY;
        // An all-reduce that queued behind another is left out, because it does not show the handover time.
        return part && ready !== undefined && before < ready ? [part.startUs - ready] : [];
      });
      const first = parts[0] ? parts[0].startUs - (gradients[(cuts[0] ?? 1) - 1]?.readyUs ?? 0) : 0;
      const busyUntil = Math.max(gradients.at(-1)?.readyUs ?? 0, ...parts.map((part) => part?.endUs ?? 0));
      return {
        rank: rank.rank,
        startUs: window.startUs,
        endUs: window.endUs,
        gradients,
        handoverUs: Math.max(0, handovers.length > 0 ? median(handovers) : first),
        tailUs: Math.max(0, window.endUs - busyUntil),
      };
    }),
  };
}

interface Found {
  readonly elements: number;
  readonly readyUs: number;
}

function gradientsIn({ lanes, strings }: RecordedRank, fromUs: number, toUs: number): readonly Found[] {
  const name = strings.indexOf(ACCUMULATE);
  if (name < 0) return [];
  const found = lanes.flatMap(({ spans }) => {
    const own: Found[] = [];
    for (let k = firstFrom(spans, fromUs); k < spans.count; k++) {
      const start = spans.startUs[k] ?? 0;
      if (start >= toUs) break;
      if (spans.name[k] !== name) continue;
      const elements = elementsOf(strings[spans.shapes[k] ?? 0] ?? '');
      if (elements > 0) own.push({ elements, readyUs: start + (spans.durUs[k] ?? 0) });
    }
    return own;
  });
  return found.sort((a, b) => a.readyUs - b.readyUs);
}

/** "[[256,64]]" has 16384. */
function elementsOf(shapes: string): number {
  const [first] = /\[[\d,]*\]/.exec(shapes) ?? [];
  const sizes = first?.match(/\d+/g)?.map(Number) ?? [];
  return first === undefined ? 0 : sizes.reduce((product, size) => product * size, 1);
}

/** The positions at which buckets of these sizes end in the list of gradients; undefined if they do not fit. */
function cutsOf(gradients: readonly number[], buckets: readonly number[]): readonly number[] | undefined {
  const ends = new Map<number, number>();
  let sum = 0;
  for (const [index, size] of gradients.entries()) {
    sum += size;
    ends.set(sum, index + 1);
  }
  const cuts: number[] = [];
  let filled = 0;
  for (const size of buckets) {
    if (filled === sum) break;
    filled += size;
    const end = ends.get(filled);
    if (end === undefined) return undefined;
    cuts.push(end);
  }
  return filled === sum ? cuts : undefined;
}

/** torch's rule (compute_bucket_assignment_by_size): a bucket closes with the gradient that reaches the cap. */
export function cutByCap(gradients: readonly Gradient[], capBytes: number): readonly number[] {
  const cuts: number[] = [];
  let size = 0;
  for (const [index, { bytes }] of gradients.entries()) {
    size += bytes;
    if (size < capBytes && index < gradients.length - 1) continue;
    cuts.push(index + 1);
    size = 0;
  }
  return cuts;
}
