/**
 * The norm of gradients for clip_grad_norm_: over one device, and over the norms of several. Called by
 * emit-clip.ts and norm-of-lines.ts.
 */
import { at } from '../base/invariant';
import type { Attrs } from '../graph/op';
import { gradNorm } from '../optim/grad-norm';
import type { ProgramBuilder } from '../program/builder';
import type { LaneBuilder, Where } from '../program/lane-builder';
import type { Config } from '../protocol/config';

export const CLIP: Where = { phase: 'step', anchor: 'clip' };

/** Buffer [1] of the total norm before clipping, as clip_grad_norm_ returns it. */
export const GRAD_NORM = 'grad_norm';
/** Buffer of the norm of a device's own gradients. */
export const OWN_NORM = 'grad_norm.own';

export interface NormInput {
  readonly config: Partial<Pick<Config, 'clipGradNormType' | 'ddp' | 'precision'>>;
}

export interface NormPart {
  readonly lane: LaneBuilder;
  /** Gradients that count on this lane. */
  readonly gradients: readonly string[];
}

/** The type of all gradients, for the operators of clip_grad_norm_, if it is not float32. */
export const gradientType = ({ config }: NormInput): Attrs => (config.precision === 'bf16' ? { half: 'bf16' } : {});

/**
 * `gradients` may be norms, too: the norm of the parts' norms is the norm of the whole. Norms are stored as float32,
 * and rounded to the type of the gradients.
 */
export function emitNorm(lane: LaneBuilder, input: NormInput, gradients: readonly string[], target: string): void {
  const { half } = gradientType(input);
  const ofNorms = gradients.every((name) => lane.spec(name).halves === undefined);
  const attrs = { normType: input.config.clipGradNormType ?? 2, ...(half && !ofNorms ? { half } : {}) };
  const types = gradNorm.infer(
    gradients.map((name) => lane.spec(name)),
    attrs,
  );
  lane.buffer({ name: target, shape: [1], dtype: 'f32', category: 'optimizer', persistent: true });
  const scratch = types.slice(1).map(({ shape, dtype }, k) => {
    const name = `${target}.sums${k}`;
    lane.buffer({ name, shape, dtype, category: 'optimizer', persistent: false });
    return name;
  });
  lane.compute(gradNorm.name, gradients, [target, ...scratch], attrs, CLIP);
  if (half && ofNorms) lane.compute('precision/round', [target], [target], { format: half }, CLIP);
}

/** Emits the norm of the norms that the lanes `from` have; all lanes `to` get it. */
export function emitNormOfNorms(
  builder: ProgramBuilder,
  input: NormInput,
  { from, to }: { readonly from: readonly LaneBuilder[]; readonly to: readonly LaneBuilder[] },
): void {
  const root = at(from, 0);
  const comm: Where = { ...CLIP, queue: 'comm' };
  const all = 'grad_norms';
  root.buffer({ name: all, shape: [from.length], dtype: 'f32', category: 'optimizer', persistent: false });
  root.compute('ops/copy', [OWN_NORM], [all], { from: 0, to: 0, length: 1 }, CLIP);
  root.handOver('compute', 'comm', comm);
  for (const [k, lane] of from.entries()) {
    if (k === 0) continue;
    lane.handOver('compute', 'comm', comm);
    builder.transfer(
      { device: lane.device, slice: lane.whole(OWN_NORM), where: comm },
      { device: root.device, slice: { buffer: all, offset: k, length: 1 }, where: comm },
      { name: OWN_NORM, payload: 'gradient' },
    );
  }
  root.handOver('comm', 'compute', CLIP);
  emitNorm(root, input, [all], GRAD_NORM);
  root.handOver('compute', 'comm', comm);
  for (const lane of to) {
    if (lane === root) continue;
    lane.buffer({ ...root.spec(GRAD_NORM) });
    builder.transfer(
      { device: root.device, slice: root.whole(GRAD_NORM), where: comm },
      { device: lane.device, slice: lane.whole(GRAD_NORM), where: comm },
      { name: GRAD_NORM, payload: 'gradient' },
    );
    lane.handOver('comm', 'compute', CLIP);
  }
}
