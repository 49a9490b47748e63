/**
 * What a recorded span is drawn as. A trace of PyTorch does not say which phase of training an operator belongs to: its
 * name says it, or a named part around it (DistributedDataParallel.forward, Optimizer.step#SGD.step). Where neither
 * does, it is plain computation. Pure.
 */
import type { SpanKind } from '../../../recordings/spans';

export const TONES = [
  'compute',
  'forward',
  'loss',
  'backward',
  'step',
  'move',
  'communication',
  'loader',
  'bracket',
] as const;
export type LaneTone = (typeof TONES)[number];

/** What many neighbours of one tone are called together, longest first; none where that would say nothing. */
export const TONE_WORDS: Readonly<Record<LaneTone, readonly string[]>> = {
  compute: [],
  forward: ['forward', 'fwd'],
  loss: ['loss'],
  backward: ['backward', 'bwd'],
  step: ['optimizer step', 'step'],
  move: [],
  communication: [],
  loader: [],
  bracket: [],
};

export const toneIndex = (tone: LaneTone): number => TONES.indexOf(tone);
export const toneAt = (index: number | undefined): LaneTone => TONES[index ?? 0] ?? 'compute';

/** The first that matches decides. */
const BY_NAME: readonly (readonly [RegExp, LaneTone])[] = [
  [/^autograd::|Backward\d*$|backward|_bwd|dgrad|wgrad/i, 'backward'],
  [/zero_grad|^Memcpy|^Memset/, 'move'],
  [/Optimizer\.step|optimizer_step|multi_tensor_apply|_fused_(adam|sgd)|_foreach_/i, 'step'],
  [/nll_loss|cross_entropy|mse_loss|[a-z]Loss\b/, 'loss'],
  [/\.forward\b|^forward\b|^nn\.Module:/, 'forward'],
];

const namedTone = (name: string): LaneTone | undefined => BY_NAME.find(([pattern]) => pattern.test(name))?.[1];

const KIND_TONES: Partial<Record<SpanKind, LaneTone>> = {
  collective: 'communication',
  loader: 'loader',
  copy: 'move',
  step: 'bracket',
  annotation: 'bracket',
  python: 'bracket',
  launch: 'move',
};

/** `around`: the names of the parts that enclose it, outermost first. The innermost that says a phase decides. */
export type ToneOf = (kind: SpanKind, name: string, around: readonly string[]) => LaneTone;

/** Looks at each name once: a trace has a few hundred of them, and half a million spans. */
export function createToneOf(): ToneOf {
  const known = new Map<string, LaneTone | undefined>();
  const named = (name: string): LaneTone | undefined => {
    if (!known.has(name)) known.set(name, namedTone(name));
    return known.get(name);
  };
  return (kind, name, around) => {
    const fixed = KIND_TONES[kind];
    if (fixed) return fixed;
    const own = named(name);
    // Part of a step's forward are operators with any name; a backward node is one wherever it runs.
    if (own === 'backward') return own;
    return around.map(named).findLast((tone) => tone !== undefined) ?? own ?? 'compute';
  };
}

/** "autograd::engine::evaluate_function: AddmmBackward0" is AddmmBackward0, "aten::linear" is linear: for labels. */
export const shortName = (name: string): string =>
  name
    .replace(/^enumerate\(DataLoader\)#.*$/, 'DataLoader')
    .replace(/^autograd::engine::evaluate_function: /, '')
    .replace(/^(torch::autograd|torch::distributed|torch\.distributed|aten|c10d|gloo|nccl)(\.ddp\.reducer)?::?/, '')
    .replace(/^reducer::/, '');
