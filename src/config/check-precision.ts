/** Where mixed precision does not go: modes, axes and layers whose runs compute in float32. Called by parse-config. */
import { type Refusal, refusedSettings } from '../base/refused-settings';
import { allLayers } from '../nn/all-layers';
import { PARALLEL_MODES } from '../parallel/modes';
import type { Config, LayerConfig } from '../protocol/config';
import { modelHalf } from '../protocol/half-of';
import { meshSizes, shardsParameters } from '../protocol/mesh-sizes';

export function checkPrecision(config: Config): void {
  const refused = inHalf(config) ?? withScaler(config) ?? withPolicy(config);
  if (refused) throw refusedSettings(refused);
}

function inHalf(config: Config): Refusal | undefined {
  const { mode, precision, ddp } = config;
  if (precision === 'float32') return undefined;
  const { mixedPrecision, title, sections = [] } = PARALLEL_MODES[mode].face;
  const hint = 'Set precision to "float32", or choose another mode.';
  const alone = ofWholeModel(config);
  if (alone) return alone;
  if (!mixedPrecision)
    return { settings: { mode, precision }, why: `${title} computes in float32 alone in this playground`, hint };
  const { tp } = sections.includes('mesh') ? meshSizes(config) : { tp: 1 };
  if (tp > 1)
    return {
      settings: { precision, 'mesh.tp': tp },
      why: 'layers that a tensor group shares compute in float32 alone in this playground',
      hint: 'Set precision to "float32", or mesh.tp to 1.',
    };
  if (sections.includes('ddp') && ddp.syncBatchNorm)
    return {
      settings: { precision, 'ddp.syncBatchNorm': true },
      why: 'SyncBatchNorm computes in float32 alone in this playground',
      hint: 'Set precision to "float32", or ddp.syncBatchNorm to false.',
    };
  return undefined;
}

/** model.to() of half precision: on one device, and in bfloat16 alone with optimisers that know it. */
function ofWholeModel({ mode, precision, optimizer }: Config): Refusal | undefined {
  if (modelHalf(precision) === undefined) return undefined;
  if (!PARALLEL_MODES[mode].face.oneDevice)
    return {
      settings: { mode, precision },
      why: 'a model that is in half precision as a whole trains on one device in this playground',
      hint: 'Choose mode single, precision "autocast-bf16", or in mode sharded sharded.paramDtype.',
    };
  if (precision !== 'bf16') return undefined;
  const hint = 'Choose SGD, Adam or AdamW without amsgrad, or precision "bf16-master".';
  const { type } = optimizer;
  if (type !== 'SGD' && type !== 'Adam' && type !== 'AdamW')
    return { settings: { 'optimizer.type': type, precision }, why: `${type} has no steps in bfloat16 here`, hint };
  if (type !== 'SGD' && optimizer.amsgrad)
    return { settings: { 'optimizer.amsgrad': true, precision }, why: 'amsgrad has no steps in bfloat16 here', hint };
  return undefined;
}

function withScaler({ mode, gradScaler }: Config): Refusal | undefined {
  const { mixedPrecision, title } = PARALLEL_MODES[mode].face;
  if (!gradScaler.enabled || mixedPrecision === 'all') return undefined;
  return {
    settings: { mode, 'gradScaler.enabled': true },
    why: `torch.amp.GradScaler unscales the gradients of one optimiser that a rank steps by itself, and ${title} is not run with one here`,
    hint: 'Set gradScaler.enabled to false, or choose mode single, ddp or sharded.',
  };
}

/** fully_shard's MixedPrecisionPolicy. */
function withPolicy(config: Config): Refusal | undefined {
  const { precision, sharded, mode, model } = config;
  const { paramDtype, reduceDtype, castForwardInputs, stage } = sharded;
  const own = {
    ...(paramDtype === 'float32' ? {} : { 'sharded.paramDtype': paramDtype }),
    ...(reduceDtype === 'param' || reduceDtype === 'float32' ? {} : { 'sharded.reduceDtype': reduceDtype }),
  };
  if (Object.keys(own).length === 0 || !PARALLEL_MODES[mode].face.sections?.includes('sharded')) return undefined;
  if (mode === 'sharded' && stage < 2)
    return {
      settings: { 'sharded.stage': stage, ...own },
      why: 'stages 0 and 1 are DistributedDataParallel, which has no MixedPrecisionPolicy here',
      hint: 'Set sharded.stage to 2 or 3, or use precision "autocast-bf16".',
    };
  if (!shardsParameters(config)) return undefined;
  if (mode !== 'sharded')
    return {
      settings: { mode, ...own },
      why: 'fully_shard takes a MixedPrecisionPolicy in mode sharded alone in this playground',
      hint: 'Leave the types of sharded out, and use precision "autocast-bf16", or choose mode sharded.',
    };
  if (precision !== 'float32')
    return {
      settings: { precision, ...own },
      why: 'the layers compute in half precision already',
      hint: 'Set precision to "float32", or leave the types of sharded out.',
    };
  const { tp } = meshSizes(config);
  if (tp > 1)
    return {
      settings: { 'mesh.tp': tp, ...own },
      why: 'layers that a tensor group shares compute in float32 alone in this playground',
      hint: 'Leave the types of sharded out, or set mesh.tp to 1.',
    };
  if (paramDtype === 'float32') return undefined;
  const word = paramDtype === 'bfloat16' ? 'BFloat16' : 'Half';
  const layers = allLayers(model.layers);
  if (layers.some(({ type }) => type === 'BatchNorm1d' || type === 'BatchNorm2d'))
    return {
      settings: own,
      why: `fully_shard casts parameters and leaves running statistics in float32, and PyTorch’s batch norm on the CPU takes no two types: “expected scalar type ${word} but found Float”`,
      hint: 'Use LayerNorm or GroupNorm, or precision "autocast-bf16".',
    };
  if (!castForwardInputs && !TAKES_INDICES.has(layers[0]?.type ?? 'Linear'))
    return {
      settings: { 'sharded.castForwardInputs': false, ...own },
      why: `the samples are float32, and PyTorch’s layers take no two types: “mat1 and mat2 must have the same dtype, but got Float and ${word}”`,
      hint: 'Leave sharded.castForwardInputs out.',
    };
  return undefined;
}

const TAKES_INDICES: ReadonlySet<LayerConfig['type']> = new Set(['Embedding', 'TokenEmbedding']);
