/**
 * The keys of the permalink as a table: name in the hash, place in the Config, and how a value is written
 * (permalink-codecs.ts). A key without a codec takes its form from the Config's schema.
 */
import { FACES } from '../../parallel/faces';
import { BUILT_IN_DATA } from '../../protocol/config/data';
import { OPTIMIZER_TYPES } from '../../protocol/config/optimizer';
import { PRESET_NAMES } from '../edit/page-presets';
import type { SettingPath } from '../edit/setting-ranges';
import {
  type Codec,
  column,
  mebibytes,
  names,
  normType,
  optional,
  optionalFlag,
  optionalText,
  rows,
  split,
  structured,
  typed,
} from './permalink-codecs';

export interface PermalinkKey {
  readonly key: string;
  /** Other accepted spellings. */
  readonly aliases: readonly string[];
  readonly path: SettingPath;
  readonly codec: Codec | undefined;
}

export const LOSS_NAMES = {
  mse: 'MSELoss',
  ce: 'CrossEntropyLoss',
  bce: 'BCEWithLogitsLoss',
  l1: 'L1Loss',
  huber: 'SmoothL1Loss',
  huberloss: 'HuberLoss',
  nll: 'NLLLoss',
} as const;
const MODE_LINKS = Object.fromEntries(Object.values(FACES).map(({ link, name }) => [link, name]));
const OPTIMIZER_NAMES = Object.fromEntries(OPTIMIZER_TYPES.map((type) => [type.toLowerCase(), type]));
export const DATA_NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(BUILT_IN_DATA.map((type) => [type, type])),
  regression: 'randomRegression',
  csv: 'csv',
  npy: 'npy',
  idx: 'idx',
  png: 'png',
};

/** Makes a row; the setting's own name is accepted, too: `batchSize=8` as `batch=8`. */
function row(key: string, path: string, codec?: Codec, ...others: string[]): PermalinkKey {
  const names = path.split('.');
  const own = names.at(-1) ?? key;
  return { key, path: names, codec, aliases: own === key || own === 'type' ? others : [own, ...others] };
}

/** The keys that choose a variant; they are read first, because they decide which other keys exist. */
export const VARIANT_KEYS = {
  data: row('data', 'data.type', names(DATA_NAMES)),
  opt: row('opt', 'optimizer.type', names(OPTIMIZER_NAMES), 'optimizer'),
  loss: row('loss', 'loss.type', names(LOSS_NAMES)),
} as const;

/** The key of the preset that the other keys change. */
export const PRESET_KEY = 'preset';
export const PRESET_ALLOWED = `one of ${PRESET_NAMES.join(', ')}`;

export const PLAIN_KEYS: readonly PermalinkKey[] = [
  row('mode', 'mode', names(MODE_LINKS)),
  row('world', 'worldSize'),
  row('samples', 'data.samples'),
  row('noise', 'data.noise'),
  row('test', 'data.testFraction'),
  row('in', 'data.in'),
  row('out', 'data.out'),
  row('task', 'data.task'),
  row('length', 'data.length'),
  row('symbols', 'data.symbols'),
  row('context', 'data.context'),
  row('stride', 'data.stride', optional),
  row('classes', 'data.classes'),
  row('features', 'data.features'),
  row('size', 'data.size', optional),
  row('color', 'data.color'),
  row('file', 'data.file', optionalText),
  row('text', 'data.text', optionalText),
  row('images', 'data.images'),
  row('labels', 'data.labels'),
  row('zip', 'data.zip', optionalText),
  row('target', 'data.target', column),
  row('header', 'data.header'),
  row('inputs', 'data.inputs'),
  row('targets', 'data.targets'),
  row('reduction', 'loss.reduction'),
  row('smoothing', 'loss.labelSmoothing', optional),
  row('ignore', 'loss.ignoreIndex', optional),
  row('beta', 'loss.beta'),
  row('delta', 'loss.delta'),
  row('posWeight', 'loss.posWeight', structured('!(3)')),
  row('classWeights', 'loss.classWeights', structured('!(1,2)')),
  row('lr', 'optimizer.lr'),
  row('momentum', 'optimizer.momentum'),
  row('dampening', 'optimizer.dampening'),
  row('nesterov', 'optimizer.nesterov'),
  row('beta1', 'optimizer.beta1'),
  row('beta2', 'optimizer.beta2'),
  row('eps', 'optimizer.eps'),
  row('wd', 'optimizer.weightDecay'),
  row('amsgrad', 'optimizer.amsgrad'),
  row('maximize', 'optimizer.maximize'),
  row('decoupled', 'optimizer.decoupledWeightDecay'),
  row('alpha', 'optimizer.alpha'),
  row('centered', 'optimizer.centered'),
  row('lrDecay', 'optimizer.lrDecay'),
  row('accumulator', 'optimizer.initialAccumulatorValue'),
  row('rho', 'optimizer.rho'),
  row('momentumDecay', 'optimizer.momentumDecay'),
  row('groups', 'paramGroups', structured("!((match:'*.bias',weightDecay:0))")),
  row('sched', 'scheduler', typed('StepLR(stepSize:100)')),
  row('clip', 'clipGradNorm', optional),
  row('clipType', 'clipGradNormType', normType),
  row('clipValue', 'clipGradValue', optional),
  row('batch', 'batchSize'),
  row('accumulate', 'accumulate'),
  row('fuse', 'fuse'),
  row('threads', 'threads'),
  row('fma', 'fusedMultiplyAdd'),
  row('checkpoint', 'checkpointSegments', optional),
  row('precision', 'precision'),
  row('scaler', 'gradScaler.enabled'),
  row('initScale', 'gradScaler.initScale'),
  row('growthFactor', 'gradScaler.growthFactor'),
  row('backoffFactor', 'gradScaler.backoffFactor'),
  row('growthInterval', 'gradScaler.growthInterval'),
  row('unscaleFirst', 'gradScaler.unscaleBeforeClip'),
  row('shuffle', 'shuffle'),
  row('dropLast', 'dropLast'),
  row('steps', 'steps'),
  row('epochs', 'epochs', optional),
  row('placement', 'placement'),
  row('device', 'device'),
  row('bucket', 'ddp.bucketCapMb', mebibytes),
  row('algorithm', 'ddp.algorithm'),
  row('overlap', 'ddp.overlap'),
  row('samplerSeed', 'ddp.samplerSeed'),
  row('unused', 'ddp.findUnusedParameters'),
  row('static', 'ddp.staticGraph'),
  row('views', 'ddp.gradientAsBucketView'),
  row('initSync', 'ddp.initSync'),
  row('broadcastBuffers', 'ddp.broadcastBuffers'),
  row('hook', 'ddp.commHook', typed('powerSGD(matrixApproximationRank:2)')),
  row('syncBatchNorm', 'ddp.syncBatchNorm'),
  row('setEpoch', 'ddp.setEpoch'),
  row('rankSeeds', 'ddp.rankSeeds'),
  row('noSync', 'ddp.noSync'),
  row('perRank', 'ddp.samplesPerRank', structured('!(40,24)')),
  row('join', 'ddp.join'),
  row('divideByInitial', 'ddp.divideByInitialWorldSize'),
  row('synchronous', 'parameterServer.synchronous'),
  row('staleness', 'parameterServer.staleness'),
  row('nodes', 'nodes', undefined, 'nnodes'),
  row('visible', 'visibleDevices', structured('!(0,1)')),
  row('adapters', 'adapters', structured('!(software,cpu)')),
  row('timeout', 'timeoutS'),
  row('restarts', 'maxRestarts'),
  row('slow', 'stragglers', structured('!(rank(rank:1,factor:4))')),
  row('split', 'modelParallel.split', split),
  row('pp', 'mesh.pp', optional),
  row('dp', 'mesh.dpReplicate'),
  row('dpShard', 'mesh.dpShard', optional),
  row('zero', 'sharded.stage'),
  row('reshardRoot', 'sharded.reshardAfterForward', optionalFlag),
  row('reshardTo', 'sharded.reshardTo', optional),
  row('modules', 'sharded.modules', structured("!('0','2')")),
  row('prefetch', 'sharded.prefetch', optional),
  row('syncEveryPass', 'sharded.syncEveryPass'),
  row('cpuOffload', 'sharded.cpuOffload'),
  row('paramDtype', 'sharded.paramDtype'),
  row('reduceDtype', 'sharded.reduceDtype'),
  row('castInputs', 'sharded.castForwardInputs'),
  row('tp', 'mesh.tp', optional),
  row('plan', 'tensor.plan', structured('(0:ColwiseParallel,2:RowwiseParallel)')),
  row('lossParallel', 'tensor.lossParallel', optionalFlag),
  row('pipeline', 'pipeline.schedule'),
  row('microBatches', 'pipeline.microBatches'),
  row('stagesPerRank', 'pipeline.stagesPerRank', optional),
  row('stages', 'pipeline.split', split),
  row('scaleGrads', 'pipeline.scaleGrads'),
  row('actions', 'pipeline.actions', rows),
  row('hardware', 'hardware'),
  row('budget', 'memoryBudgetMb'),
  row('compare', 'compareSingle'),
  row('weights', 'weights', optionalText),
  row('resume', 'resume', optionalText),
  row('resumeBy', 'resumeBy'),
];
export const SEED_KEY: PermalinkKey = row('seed', 'seed');
