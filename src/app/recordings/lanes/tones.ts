/**
 * The tone in which a recorded span is drawn. A PyTorch trace does not contain an operator's phase of training: the
 * phase follows from the operator's name, or from a named part around it (DistributedDataParallel.forward,
 * Optimizer.step#SGD.step). If neither tells the phase, the span is plain computation. Pure.
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

/** The names for a run of blocks of one tone, longest first; none if a name would mean nothing. */
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

/** Patterns of names; the first match decides. */
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

/** `around`: the names of the enclosing parts, outermost first. The innermost part that tells a phase decides. */
export type ToneOf = (kind: SpanKind, name: string, around: readonly string[]) => LaneTone;

/** Tests each name once: a trace has a few hundred names, but half a million spans. */
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
    // Operators of any name can be part of forward; a backward node is backward wherever it runs.
    if (own === 'backward') return own;
    return around.map(named).findLast((tone) => tone !== undefined) ?? own ?? 'compute';
  };
}

/**
 * A short name for labels: "autograd::engine::evaluate_function: AddmmBackward0" becomes AddmmBackward0, "aten::linear"
 * becomes linear.
 */
export const shortName = (name: string): string =>
  name
    .replace(/^enumerate\(DataLoader\)#.*$/, 'DataLoader')
    .replace(/^autograd::engine::evaluate_function: /, '')
    .replace(/^(torch::autograd|torch::distributed|torch\.distributed|aten|c10d|gloo|nccl)(\.ddp\.reducer)?::?/, '')
    .replace(/^reducer::/, '');
