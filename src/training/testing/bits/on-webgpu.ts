/**
 * What of the table is also held on WebGPU: every mode, every net, both placements, every optimiser, hooks, and what
 * has kernels of its own. Read by parity/bits.gpu.test.ts.
 */
import { DDP_RUNS } from './ddp';
import { HALF_RUNS } from './halves';
import { MODEL_RUNS } from './models';
import { MODE_RUNS } from './modes';
import type { Named } from './nets';
import { UPDATE_RUNS } from './updates';

const ALL: readonly Named[] = [...MODE_RUNS, ...UPDATE_RUNS, ...DDP_RUNS, ...MODEL_RUNS, ...HALF_RUNS];

/** By name; each matches at least one run of the table (a test holds it). */
export const ON_WEBGPU: readonly RegExp[] = [
  /^single, (mlp|mixed|cnn|gpt)$/,
  /^(dataParallel|ddp|modelParallel|parameterServer) of 3, (mlp|mixed), (shared|workers)$/,
  /^ddp of 3, (cnn|gpt), shared$/,
  /^modelParallel of 3, gpt, shared$/,
  /^(single|ddp|parameterServer), mlp, accumulate 2$/,
  /^(single|ddp), (gpt, fused|mixed, checkpointed in 2 segments)$/,
  /^parameterServer, asynchronous, staleness 1$/,
  /^single, (Adam|AdamW|RMSprop|Adagrad|Adadelta|Adamax|NAdam|RAdam)$/,
  /^single, (SGD momentum 0.9 nesterov true|RMSprop alpha .*|.*decoupledWeightDecay .*|Adam lr .* amsgrad .*)$/,
  /^(ddp|modelParallel), groups of parameters$/,
  /^(ddp|modelParallel), clipGradNorm 0.3 clipGradValue 0.02$/,
  /^single, OneCycleLR .*threePhase true$/,
  /^ddp, (fp16|bf16|powerSGD|localSGD from step 5), shared$/,
  /^ddp, (fp16|powerSGD), workers$/,
  /^ddp, (tree of 4|halvingDoubling of 4|hierarchical of 6 on 2 nodes)$/,
  /^ddp, (join, uneven|SyncBatchNorm|gradientAsBucketView)$/,
  /^ddp, no_sync (both|none), accumulate 3$/,
  /^ddp, a module that is not used, findUnusedParameters$/,
  /^single, (padding same, ceil_mode, .*|.*HuberLoss.*|attention, tied weights|strides, groups, average pooling)$/,
  /^(single|ddp), bfloat16, |^single, mixed, (bf16|fp16)-master$/,
];

export const WEBGPU_RUNS: readonly Named[] = ALL.filter(({ name }) => ON_WEBGPU.some((pattern) => pattern.test(name)));
