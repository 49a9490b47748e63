/**
 * The PyTorch script of a run, in the idiom of its mode: the code panel of the page. It runs as it stands and prints
 * the losses of the run; where it cannot, a comment says so. Events of the trace point at a line by its anchor, so an
 * anchor stands on one line only; lines that no event points at have 'none'. Called by session.
 */
import { type Config, DEFAULT_CONFIG } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { python } from './python';
import { algorithmAdverb, algorithmLines } from './pytorch-algorithm';
import { checkpointCode } from './pytorch-checkpoint';
import { averagerLines, hookImports, hookLines, syncLines } from './pytorch-comm-hooks';
import { dataCode } from './pytorch-data';
import { epochCount, joinLine, loaderLines, seedLines, setsEpoch, wrapperArguments, wrapperNotes } from './pytorch-ddp';
import { importLines } from './pytorch-imports';
import { launchLines } from './pytorch-launch';
import { type LoopParts, loopImports, lossCall, trainingLoop } from './pytorch-loop';
import { drops, FORWARD_LINE, type ModelCode, modelCode, SEND_LINE, splitModelCode } from './pytorch-model';
import { lossCode, optimizerCode, schedulerCode } from './pytorch-optim';
import { workerImports, workerLines, workerLoop } from './pytorch-parameter-server';

const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });
const lines = (...texts: readonly string[]): CodeLine[] => texts.map((text) => line(text));

interface Script {
  readonly imports?: readonly string[];
  /** Before the seed. */
  readonly setUp?: readonly string[];
  /** Behind everything. */
  readonly tearDown?: readonly string[];
  readonly model: ModelCode;
  /** Seeds that ranks set for themselves. */
  readonly seeds?: ReturnType<typeof seedLines>;
  readonly dataNames?: readonly string[];
  /** What holds the model, if anything does. */
  readonly wrapper?: CodeLine;
  readonly beforeWrapper?: readonly CodeLine[];
  /** Beside the model. */
  readonly afterModel?: readonly CodeLine[];
  readonly loaders: readonly string[];
  readonly loop: LoopParts;
}

const FIRST = "'cuda:0'";
const CUDA_MASKS =
  '# dropout: the run has the masks that torch draws on the CPU; on CUDA it draws others, and the losses differ';

/** Under model parallel the forward pass goes from device to device, which checkpoint_sequential does not. */
const again = ({ mode, checkpointSegments: segments }: Config): readonly string[] =>
  mode !== 'modelParallel' || segments === undefined
    ? []
    : [
        `# the run also checkpoints ${segments} segment${segments === 1 ? '' : 's'} on each device (torch.utils.checkpoint): less memory, the same losses`,
      ];

function script(config: Config, parts: Script): CodeLine[] {
  const { model, wrapper, loop } = parts;
  const data = dataCode(config);
  const scheduler = schedulerCode(config.scheduler);
  // A checkpoint brings its own weights.
  const weights = config.resume === undefined ? config.weights : undefined;
  const checkpoint = checkpointCode(config, {
    device: config.mode === 'ddp' ? `f'cuda:{${loop.inputs}}'` : FIRST,
    indices: data.indices,
    advance: scheduler.step,
  });
  const loadFile = 'from safetensors.torch import load_file';
  const syncs = loop.ranks === true && config.accumulate > 1 && config.ddp.noSync !== 'none';
  const dataNames = ['DataLoader', ...data.names, ...(parts.dataNames ?? [])];
  return [
    ...lines(
      ...launchLines(config),
      ...(drops(config.model.layers) ? [CUDA_MASKS] : []),
      ...again(config),
      ...importLines([
        ...scheduler.imports,
        ...model.imports,
        ...(syncs ? ['from contextlib import nullcontext'] : []),
        ...(config.paramGroups.length > 0 ? ['from fnmatch import fnmatchcase'] : []),
        ...data.imports,
        ...checkpoint.imports,
        ...(weights === undefined ? [] : [loadFile]),
        ...loopImports(config, loop),
        'import torch',
        'from torch import nn',
        `from torch.utils.data import ${dataNames.toSorted().join(', ')}`,
        ...(parts.imports ?? []),
      ]),
      ...(parts.setUp ?? []),
    ),
    ...model.classes.map(placed),
    ...lines(
      `torch.manual_seed(${config.seed})`,
      ...data.lines,
      ...(config.epochs === undefined ? [`steps = ${config.steps}`] : []),
      ...(parts.seeds?.before ?? []),
      ...model.lines,
      ...(parts.seeds?.after ?? []),
      ...(weights === undefined ? [] : [`model.load_state_dict(load_file(${python(weights)}))`]),
      ...checkpoint.model,
    ),
    ...(parts.beforeWrapper ?? []),
    ...(wrapper ? [wrapper] : []),
    ...(parts.afterModel ?? []),
    ...lines(
      ...optimizerCode(config, wrapper ? 'model.module' : 'model'),
      ...scheduler.lines,
      ...checkpoint.optimizer,
      ...averagerLines(config).map(({ text }) => text),
      lossCode(config.loss, loop.targets),
      ...parts.loaders,
      ...checkpoint.loader,
    ),
    ...trainingLoop(config, loop, scheduler.step),
    ...lines(...(parts.tearDown ?? [])),
  ];
}

/** Lines of the classes that events point at. */
const placed = (text: string): CodeLine =>
  line(text, text === SEND_LINE ? 'send_activation' : text === FORWARD_LINE ? 'forward' : 'none');

/** Samples of one backward pass: a step's, or a micro-batch's. */
const microBatch = ({ batchSize, accumulate }: Config): number => Math.floor(batchSize / accumulate);

/** Of one rank. */
const rankBatch = (config: Config): number => Math.floor(microBatch(config) / config.worldSize);

function loader(config: Config): string {
  const args = ['dataset', `batch_size=${microBatch(config)}`, ...(config.shuffle ? ['shuffle=True'] : [])];
  const all = [...args, ...(config.dropLast ? ['drop_last=True'] : []), 'pin_memory=True'];
  return `loader = DataLoader(${all.join(', ')})`;
}

function single(config: Config): CodeLine[] {
  return script(config, {
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    loaders: [loader(config)],
    loop: { inputs: FIRST, targets: FIRST },
  });
}

function dataParallel(config: Config): CodeLine[] {
  const devices = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return script(config, {
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    wrapper: line(`model = nn.DataParallel(model, device_ids=[${devices}])`),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: FIRST,
      inForward: [
        line('#   scatter: a chunk of x to each device', 'scatter'),
        line('#   replicate: parameters and buffers to each device', 'replicate'),
        line('#   parallel_apply: each replica on its chunk', 'parallel_apply'),
        line('#   gather: the outputs on cuda:0', 'gather'),
      ],
      inBackward: [line('#   the gradients of all replicas summed on cuda:0', 'reduce')],
    },
  });
}

function ddp(config: Config): CodeLine[] {
  // A rank's device is counted on its node.
  const several = config.nodes > 1;
  const device = several ? 'local_rank' : 'rank';
  const { algorithm, overlap } = config.ddp;
  const loaders = loaderLines(config, rankBatch(config));
  const how = `${algorithmAdverb(algorithm)} ${overlap ? 'while backward runs' : 'after backward: overlap is off'}`;
  return script(config, {
    imports: [
      ...(several || algorithm === 'doubleTree' ? ['import os'] : []),
      ...(config.timeoutS === DEFAULT_CONFIG.timeoutS ? [] : ['from datetime import timedelta']),
      'from torch.nn.parallel import DistributedDataParallel',
      ...hookImports(config),
    ],
    setUp: [
      ...algorithmLines(config),
      config.timeoutS === DEFAULT_CONFIG.timeoutS
        ? "torch.distributed.init_process_group('nccl')"
        : `torch.distributed.init_process_group('nccl', timeout=timedelta(seconds=${config.timeoutS}))`,
      'rank = torch.distributed.get_rank()',
      ...(several ? ["local_rank = int(os.environ['LOCAL_RANK'])"] : []),
      `torch.cuda.set_device(${device})`,
    ],
    tearDown: ['torch.distributed.destroy_process_group()'],
    model: modelCode(config.model.layers, device, config.checkpointSegments),
    seeds: seedLines(config),
    dataNames: loaders.names,
    beforeWrapper: [...syncLines(config), ...lines(...wrapperNotes(config))],
    afterModel: hookLines(config),
    wrapper: line(
      `model = DistributedDataParallel(${['model', `device_ids=[${device}]`, ...wrapperArguments(config)].join(', ')})`,
      'broadcast',
    ),
    loaders: loaders.lines,
    loop: {
      inputs: device,
      targets: device,
      epochStart: setsEpoch(config) ? [line('sampler.set_epoch(epoch)', 'set_epoch')] : [],
      inBackward: [line(`#   buckets all-reduced${how}`, 'allreduce')],
      ranks: true,
      join: joinLine(config),
      epochs: config.epochs === undefined ? epochCount(config, rankBatch(config)) : undefined,
    },
  });
}

function modelParallel(config: Config, layersOfDevice: readonly (readonly number[])[]): CodeLine[] {
  const { layers } = config.model;
  const devices = layers.map((_, i) => layersOfDevice.findIndex((own) => own.includes(i)));
  return script(config, {
    model: splitModelCode(layers, devices),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: `'cuda:${layersOfDevice.length - 1}'`,
      forwardAnchor: 'none',
      inBackward: [line('#   gradients of activations sent back', 'send_gradient')],
    },
  });
}

function parameterServer(config: Config): CodeLine[] {
  if (config.worldSize === 1) return single(config);
  return script(config, {
    imports: workerImports(config),
    model: modelCode(config.model.layers, FIRST, config.checkpointSegments),
    afterModel: workerLines(config),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: FIRST,
      body: (schedule) => workerLoop(config, lossCall(config), schedule),
    },
  });
}

/** `layersOfDevice`: the layers (indices into the model) that each device holds; model parallel places them by it. */
export function codeLines(config: Config, layersOfDevice: readonly (readonly number[])[]): readonly CodeLine[] {
  switch (config.mode) {
    case 'single':
      return single(config);
    case 'dataParallel':
      return dataParallel(config);
    case 'ddp':
      return ddp(config);
    case 'modelParallel':
      return modelParallel(config, layersOfDevice);
    case 'parameterServer':
      return parameterServer(config);
  }
}
