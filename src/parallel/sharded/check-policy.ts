/**
 * Refuses MixedPrecisionPolicy, CPUOffloadPolicy and norms of gradients where fully_shard does not support them. Called
 * by the compilers of modes whose ranks keep shards.
 */
import { type Refusal, refusedSettings } from '../../base/refused-settings';
import { chunkSizes } from '../../data/chunk-sizes';
import { allLayers } from '../../nn/all-layers';
import { parameterList } from '../../nn/model';
import type { Config, LayerConfig } from '../../protocol/config';
import { modelHalf } from '../../protocol/half-of';
import { meshSizes, shardsParameters } from '../../protocol/mesh-sizes';

export function checkPolicy(config: Config): void {
  const refused = offloadRefusal(config) ?? refusalOf(config) ?? ofCutLayers(config) ?? ofEmptyShards(config);
  if (refused) throw refusedSettings(refused);
}

function offloadRefusal(config: Config): Refusal | undefined {
  const { mode, sharded } = config;
  const { stage, cpuOffload } = sharded;
  if (!cpuOffload) return undefined;
  const { tp } = meshSizes(config);
  if (shardsParameters(config) && (mode !== 'sharded' || tp > 1))
    return {
      settings: { ...(tp > 1 ? { 'mesh.tp': tp } : { mode }), 'sharded.cpuOffload': cpuOffload },
      why: 'this playground models CPUOffloadPolicy only in mode sharded, and only without tensor groups',
      hint: 'Leave sharded.cpuOffload out, or choose mode sharded with mesh.tp 1.',
    };
  if (mode !== 'sharded' || stage >= 2) return undefined;
  return {
    settings: { 'sharded.stage': stage, 'sharded.cpuOffload': cpuOffload },
    why: 'stages 0 and 1 are DistributedDataParallel, which has no CPUOffloadPolicy',
    hint: 'Set sharded.stage to 2 or 3, or leave sharded.cpuOffload out.',
  };
}

function refusalOf(config: Config): Refusal | undefined {
  const { precision, sharded, mode, model } = config;
  const { paramDtype, reduceDtype, castForwardInputs, stage } = sharded;
  const own = {
    ...(paramDtype === 'float32' ? {} : { 'sharded.paramDtype': paramDtype }),
    ...(reduceDtype === 'param' || reduceDtype === 'float32' ? {} : { 'sharded.reduceDtype': reduceDtype }),
  };
  if (Object.keys(own).length === 0) return undefined;
  if (mode === 'sharded' && stage < 2)
    return {
      settings: { 'sharded.stage': stage, ...own },
      why: 'stages 0 and 1 are DistributedDataParallel, which has no MixedPrecisionPolicy here',
      hint: 'Set sharded.stage to 2 or 3, or use precision "autocast-bf16".',
    };
  if (!shardsParameters(config)) return undefined;
  if (precision !== 'float32')
    return {
      settings: { precision, ...own },
      why: 'the layers compute in half precision already',
      hint: 'Set precision to "float32", or leave the types of sharded out.',
    };
  if (paramDtype === 'float32') return undefined;
  const word = paramDtype === 'bfloat16' ? 'BFloat16' : 'Half';
  const layers = allLayers(model.layers);
  if (layers.some(({ type }) => type === 'BatchNorm1d' || type === 'BatchNorm2d'))
    return {
      settings: own,
      why: `fully_shard casts parameters and leaves running statistics in float32, and PyTorch’s batch norm on the CPU does not mix two types: “expected scalar type ${word} but found Float”`,
      hint: 'Use LayerNorm or GroupNorm, or precision "autocast-bf16".',
    };
  if (!castForwardInputs && !TAKES_INDICES.has(layers[0]?.type ?? 'Linear'))
    return {
      settings: { 'sharded.castForwardInputs': false, ...own },
      why: `the samples are float32, and PyTorch’s layers do not mix two types: “mat1 and mat2 must have the same dtype, but got Float and ${word}”`,
      hint: 'Leave sharded.castForwardInputs out.',
    };
  return undefined;
}

/** A whole model in bfloat16 whose layers tp cuts. */
function ofCutLayers(config: Config): Refusal | undefined {
  const { precision } = config;
  const { tp } = meshSizes(config);
  if (tp === 1 || modelHalf(precision) === undefined) return undefined;
  return {
    settings: { precision, 'mesh.tp': tp },
    why: 'this playground does not cut the layers of a model that is in bfloat16 as a whole',
    hint: 'Set precision to "autocast-bf16", or sharded.paramDtype to "bfloat16".',
  };
}

/** clip_grad_norm_ by the greatest absolute value, where a rank has no row of a parameter. */
function ofEmptyShards(config: Config): Refusal | undefined {
  const { clipGradNorm, clipGradNormType, model } = config;
  if (clipGradNorm === undefined || clipGradNormType !== 'inf' || !shardsParameters(config)) return undefined;
  const { dpShard, tp } = meshSizes(config);
  const small = parameterList(model.layers).find(({ shape }) => chunkSizes(shape[0] ?? 1, dpShard).length < dpShard);
  if (!small || tp > 1) return undefined;
  return {
    settings: { clipGradNormType, 'mesh.dpShard': dpShard },
    why: `a rank has no row of ${small.name}, and PyTorch stops there: “_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an identity”`,
    hint: 'Choose another clipGradNormType, or fewer shards.',
  };
}

const TAKES_INDICES: ReadonlySet<LayerConfig['type']> = new Set(['Embedding', 'TokenEmbedding']);
