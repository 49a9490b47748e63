/**
 * The keys by which events of several devices form one moment. Transfers have a key per collective and round, operators
 * per layer. If a device returns to a layer after other work (its bucket was packed between two operators), the new
 * visit is another moment. Called by moments.ts.
 */
import { lookup } from '../../base/lookup';
import type { CollectiveOp } from '../../protocol/collective';
import { dimensionName } from '../../protocol/mesh';
import type { StepTrace, TraceEvent } from '../../protocol/trace';
import { actionKey, type Turn } from '../pipeline/pipeline-turns';
import { averagedStage } from '../pipeline/stage-averages';
import type { MomentKind } from './moment';

/**
 * Keys by event; events with equal keys may be one moment. `turns`: of a pipeline's actions, by event. `wholeAverages`:
 * a stage's bucket is packed and all-reduced in one moment, and all stages unpack theirs in another. `collectives`: see
 * Collectives.
 */
export function groupKeys(
  { events }: StepTrace,
  turns: readonly (Turn | undefined)[],
  wholeAverages = false,
  collectives: Collectives = 'rounds',
): readonly string[] {
  const kinds = alikeOf(events, collectives !== 'rounds');
  /** By device, the last kind of work on its compute queue, and a count per kind. */
  const latest = new Map<number, string>();
  const visits = new Map<string, number>();
  return events.map((e, index) => {
    const turn = turns[index];
    // Replicas of a pipeline average each stage by itself, at its own time.
    const averaged = averagedStage(e);
    const stage = averaged === undefined ? '' : ` stage ${averaged}`;
    if (wholeAverages && averaged !== undefined)
      return e.name === 'ddp/unpack' ? 'unpack all stages' : `average${stage}`;
    if (turn && collectives === 'inTurns' && isOfLayers(e)) return `turn ${turn.index}`;
    if (turn && !e.collective)
      return `${isTransfer(e) && !turn.withMessages ? 'messages of turn' : 'turn'} ${turn.index}`;
    if (e.kind === 'send' || e.kind === 'recv') return `${transferKey(e, isWhole(e, collectives))}${stage}`;
    const alike = `${kinds[index] ?? ''}${stage}`;
    const lane = `${e.device} ${e.queue}`;
    const place = `${lane} ${alike}`;
    // Each queue of a device has its own visits; a key is shared by the same visit of all devices.
    if (latest.get(e.device) !== `${e.queue} ${alike}`) visits.set(place, (visits.get(place) ?? 0) + 1);
    latest.set(e.device, `${e.queue} ${alike}`);
    return `${e.queue} ${alike} ${visits.get(place) ?? 0}`;
  });
}

export const isTransfer = ({ kind }: TraceEvent): boolean => kind === 'send' || kind === 'recv';

/**
 * Collectives of activations and shards, of which a step may have many: each round is a moment, or all rounds of one
 * collective, or they are in the turn of the layer that needs them. The rounds of DDP's buckets are moments; with
 * 'laterBuckets' only those of bucket 0 are.
 */
export type Collectives = 'rounds' | 'whole' | 'laterBuckets' | 'inTurns';

function isWhole(e: TraceEvent, collectives: Collectives): boolean {
  const bucket = e.collective?.bucket ?? e.bucket;
  if (bucket === undefined) return collectives !== 'rounds' && isOfLayers(e);
  return collectives === 'laterBuckets' && bucket > 0;
}

/** Whether the collective is not about a bucket of DDP. */
export const isOfLayers = ({ collective: c, bucket }: TraceEvent): boolean =>
  c !== undefined && c.bucket === undefined && bucket === undefined && OPS_OF_LAYERS.includes(c.op);

const OPS_OF_LAYERS: readonly CollectiveOp[] = ['allReduce', 'allGather', 'reduceScatter'];

/** Transfers with equal keys are one round of a collective, or one message of a pipeline's stage. */
export const roundKey = (e: TraceEvent): string =>
  `${transferKey(e, false)} ${e.action ? actionKey(e.action) : ''} ${averagedStage(e) ?? ''}`;

/** Like roundKey, but all rounds of one collective have the same key. */
export const collectiveKey = (e: TraceEvent): string =>
  `${transferKey(e, true)} ${e.action ? actionKey(e.action) : ''}`;

/** Groups along the same axes do the same at the same time, so the key has the axes and not the ranks. */
function transferKey({ collective: c, phase, anchor, payload, bucket, module }: TraceEvent, whole: boolean): string {
  if (!c) return `message ${phase} ${anchor} ${payload ?? ''}`;
  const along = dimensionName(c.group ?? {}) ?? '';
  const round = whole ? '' : `${c.part ?? ''} ${c.round ?? ''}`;
  return `${along} ${c.seq} ${c.op} ${round} ${phase} ${bucket ?? ''} ${module}`;
}

/** Preparations of the optimiser, or of a sum of gradients, get the key of the work that follows them on the device. */
function alikeOf(events: readonly TraceEvent[], together: boolean): readonly string[] {
  const following = new Map<number, string>();
  const summed = new Set(events.filter(isUnpackedGradient).map(({ device, writes }) => `${device} ${writes[0]}`));
  return events
    .map((e) => e)
    .reverse()
    .map((e) => {
      if (e.kind === 'send' || e.kind === 'recv') return '';
      const begins =
        (e.kind === 'load' && e.phase === 'step') || e.name === 'scaler/skip-step' || isUnpackedGradient(e);
      const isSum = e.name === 'precision/pack' && summed.has(`${e.device} ${e.reads[0]}`) && e.phase === 'backward';
      const ofItself = isSum ? SUM_OF_GRADIENTS : alike(e, together);
      const own = begins ? (following.get(e.device) ?? ofItself) : ofItself;
      following.set(e.device, own);
      return own;
    })
    .reverse();
}

/** `together`: copies into and out of a collective's buffer are in the moment of the layer. */
function alike(e: TraceEvent, together: boolean): string {
  const bucket = e.bucket ?? '';
  if (e.kind === 'load') return `load ${e.phase} ${bucket}`;
  const { name, phase, module } = e;
  if (phase === 'step' && /^precision\/(un)?pack$/.test(name)) return lookup(CONVERTED_FOR, e.anchor) ?? '';
  if (isGradientCast(e)) return `cast ${phase} ${module}`;
  if (name.startsWith('optim/')) return `${isOptimizer(e) ? 'update' : clipWord(name)} ${phase}`;
  if (kindOf(e) === 'copy' && !(together && module !== '' && bucket === '')) return `${name} ${phase} ${bucket}`;
  // Without a layer: the loss is one moment and its gradient another, whatever their operators; other operators go by
  // name. So scaler.scale(loss) is a moment after the loss.
  const byPhase = phase === 'loss' ? !name.startsWith('scaler/') : /^(loss|fused|precision)\//.test(name);
  const of = module === '' && !byPhase ? name : '';
  return `${phase} ${module} ${of} ${bucket}`;
}

/** Whether a half-precision gradient is cast to float32. Small elements have become 0, so it gets its own moment. */
const isGradientCast = ({ name, phase, module, reads }: TraceEvent): boolean =>
  name === 'precision/cast' && phase === 'backward' && module !== '' && /\.b?f16\.grad$/.test(reads[0] ?? '');

/** A stored gradient is unpacked to add another one to it. */
const isUnpackedGradient = ({ name, phase, writes }: TraceEvent): boolean =>
  name === 'precision/unpack' && phase === 'backward' && /\.f32\.grad(~\d+)?$/.test(writes[0] ?? '');

/** The key of additions to .grad, by which alike() names them, too. */
const SUM_OF_GRADIENTS = 'optim/accumulate-grad backward';

/** By anchor: the key of the work for which stored gradients are unpacked and packed. */
const CONVERTED_FOR: Readonly<Record<string, string>> = {
  clip: 'clip norm step',
  clip_value: 'optim/clip-grad-value step',
  unscale: 'step  scaler/unscale ',
};

const clipWord = (name: string): string => (/norm/.test(name) ? 'clip norm' : name);

const isOptimizer = ({ name }: TraceEvent): boolean =>
  name.startsWith('optim/') && !/^optim\/(accumulate-grad|grad-norm|clip-)/.test(name);

const COPIES = /^(ops\/copy|comm\/(un)?flatten|ddp\/(un)?pack|halves\/\w+)$/;

export function kindOf(e: TraceEvent): MomentKind {
  if (e.kind === 'send' || e.kind === 'recv') return e.collective ? 'round' : 'message';
  if (isOptimizer(e) || (e.kind === 'load' && e.phase === 'step')) return 'update';
  if (e.kind === 'load') return 'load';
  return COPIES.test(e.name) ? 'copy' : 'compute';
}
