/**
 * The PyTorch script of a run, in the idiom of its mode: the code panel of the page. It runs as it stands and prints the losses of the run; where it
 * cannot, a comment says so. Events of the trace point at a line by its anchor, so an anchor stands on one line only; lines that no event points at have
 * 'none'. Called by session.
 */
import { type Config, DEFAULT_CONFIG } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { python } from './python';
import { ALGORITHM_ADVERBS, ALGORITHM_LINES } from './pytorch-algorithm';
import { checkpointCode } from './pytorch-checkpoint';
import { averageLine, averagerLines, hookImports, hookLines, syncLines } from './pytorch-comm-hooks';
import { dataCode } from './pytorch-data';
import {
  defaultEpochs,
  joinLine,
  loaderLines,
  noSyncLines,
  seedLines,
  setsEpoch,
  wrapperArguments,
} from './pytorch-ddp';
import { launchLines } from './pytorch-launch';
import { drops, FORWARD_LINE, type ModelCode, modelCode, SEND_LINE, splitModelCode } from './pytorch-model';
import { lossCode, optimizerCode, schedulerCode } from './pytorch-optim';
import { workerImports, workerLines, workerLoop } from './pytorch-parameter-server';

const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });
const lines = (...texts: readonly string[]): CodeLine[] => texts.map((text) => line(text));

interface Script {
  /** Above everything. */
  readonly imports?: readonly string[];
  /** Before the seed. */
  readonly setUp?: readonly string[];
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

interface LoopParts {
  readonly inputs: string;
  readonly targets: string;
  /** DDP: before the batches of an epoch. */
  readonly epochStart?: readonly CodeLine[];
  /** What happens within model(x), and within backward. */
  readonly inForward?: readonly CodeLine[];
  readonly inBackward?: readonly CodeLine[];
  /** Model parallel: the forward pass has lines of its own. */
  readonly forwardAnchor?: string;
  /** In place of all that happens with a batch; gets the lines that move the schedule on. */
  readonly body?: (schedule: readonly CodeLine[]) => readonly CodeLine[];
  /** DDP: gradients are not reduced in micro-batches that no step follows. */
  readonly noSync?: boolean;
  /** DDP: `with model.join():` around the batches. */
  readonly join?: string | undefined;
}

const FIRST = "'cuda:0'";
const CUDA_MASKS =
  '# dropout: the run has the masks that torch draws on the CPU; on CUDA it draws others, and the losses differ';

const AGAIN =
  '# the run also computes activations again in backward (torch.utils.checkpoint): less memory, the same losses';

function script(config: Config, parts: Script): CodeLine[] {
  const { model, wrapper, loop } = parts;
  const data = dataCode(config);
  const scheduler = schedulerCode(config.scheduler);
  // A checkpoint brings its own weights.
  const weights = config.resume === undefined ? config.weights : undefined;
  const checkpoint = checkpointCode(config, config.mode === 'ddp' ? `f'cuda:{${loop.inputs}}'` : FIRST);
  const loadFile = 'from safetensors.torch import load_file';
  const syncs = loop.noSync === true && config.accumulate > 1 && config.ddp.noSync !== 'none';
  return [
    ...lines(
      ...launchLines(config),
      ...(drops(config.model.layers) ? [CUDA_MASKS] : []),
      ...(config.checkpointSegments === undefined ? [] : [AGAIN]),
      ...scheduler.imports,
      ...model.imports,
      ...(syncs ? ['from contextlib import nullcontext'] : []),
      ...(config.paramGroups.length > 0 ? ['from fnmatch import fnmatchcase'] : []),
      ...data.imports.filter((text) => text !== loadFile),
      ...checkpoint.imports,
      ...(checkpoint.imports.length === 0 && (weights !== undefined || data.imports.includes(loadFile))
        ? [loadFile]
        : []),
      'import torch',
      'from torch import nn',
      `from torch.utils.data import ${['DataLoader', ...data.names, ...(parts.dataNames ?? [])].join(', ')}`,
      ...(parts.imports ?? []),
      ...(parts.setUp ?? []),
    ),
    ...model.classes.map(placed),
    ...lines(
      `torch.manual_seed(${config.seed})`,
      ...data.lines,
      ...(config.epochs === undefined ? [`epochs = ${defaultEpochs(config, rankBatch(config))}`] : []),
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
    ),
    ...trainingLoop(config, loop, scheduler.step),
  ];
}

/** Lines of the classes that events point at. */
const placed = (text: string): CodeLine =>
  line(text, text === SEND_LINE ? 'send_activation' : text === FORWARD_LINE ? 'forward' : 'none');

/** Token models have a logit vector at every position; torch's losses take one a row. */
const lossCall = ({ data }: Config): string =>
  data.type === 'sequence' || data.type === 'text'
    ? 'loss_fn(output.flatten(0, 1), y.flatten())'
    : 'loss_fn(output, y)';

function trainingLoop(config: Config, parts: LoopParts, schedulerStep: readonly string[]): CodeLine[] {
  const { accumulate, clipGradNorm, scheduler } = config;
  const indented = (depth: number, code: readonly CodeLine[]) =>
    code.map(({ text, anchor }) => line(`${'    '.repeat(depth)}${text}`, anchor));
  const advance = schedulerStep.map((text) => line(text, text.startsWith('if') ? 'none' : 'scheduler'));
  const everyEpoch = scheduler?.every === 'epoch';
  const toLoss = [
    line('output = model(x)', parts.forwardAnchor ?? 'forward'),
    ...(parts.inForward ?? []),
    line(`loss = ${lossCall(config)}`, 'loss'),
  ];
  const toGradients = [
    line(accumulate > 1 ? `(loss / ${accumulate}).backward()` : 'loss.backward()', 'backward'),
    ...(parts.inBackward ?? []),
  ];
  const toStep = [
    ...(clipGradNorm === undefined
      ? []
      : [line(`nn.utils.clip_grad_norm_(model.parameters(), ${clipGradNorm})`, 'clip')]),
    line('optimizer.step()', 'step'),
    ...averageLine(config),
    ...(everyEpoch ? [] : advance),
  ];
  const zeroGrad = line('optimizer.zero_grad()', 'zero_grad');
  const print = line('print(loss.item())');
  const due = `batches % ${accumulate} == 0`;
  const body = parts.body
    ? parts.body(everyEpoch ? [] : advance)
    : accumulate === 1
      ? [zeroGrad, ...toLoss, ...toGradients, ...toStep, print]
      : [
          line('batches += 1'),
          ...(parts.noSync === true ? noSyncLines(config, due, toLoss, toGradients) : [...toLoss, ...toGradients]),
          line(`if ${due}:`),
          ...indented(1, [...toStep, zeroGrad]),
          print,
        ];
  // Around all epochs where their number is given, else around each.
  const joined = (own: boolean, code: readonly CodeLine[]): readonly CodeLine[] =>
    own && parts.join !== undefined ? [line(parts.join, 'join'), ...indented(1, code)] : code;
  const epochs = config.epochs !== undefined;
  const batches = [
    line('for x, y in loader:', 'load'),
    ...indented(1, [line(`x, y = x.to(${parts.inputs}), y.to(${parts.targets})`, 'to_device'), ...body]),
  ];
  return [
    ...(accumulate > 1 ? [line('batches = 0')] : []),
    ...joined(epochs, [
      line(`for epoch in range(${config.epochs ?? 'epochs'}):`),
      ...indented(1, [...(parts.epochStart ?? []), ...joined(!epochs, batches), ...(everyEpoch ? advance : [])]),
    ]),
  ];
}

/** Samples of one backward pass: a step's, or a micro-batch's. */
const microBatch = ({ batchSize, accumulate }: Config): number => Math.floor(batchSize / accumulate);

/** Of one rank. */
const rankBatch = (config: Config): number => Math.floor(microBatch(config) / config.worldSize);

function loader(config: Config): string {
  const args = ['dataset', `batch_size=${microBatch(config)}`, ...(config.shuffle ? ['shuffle=True'] : [])];
  return `loader = DataLoader(${[...args, ...(config.dropLast ? ['drop_last=True'] : [])].join(', ')})`;
}

function single(config: Config): CodeLine[] {
  return script(config, {
    model: modelCode(config.model.layers, FIRST),
    loaders: [loader(config)],
    loop: { inputs: FIRST, targets: FIRST },
  });
}

function dataParallel(config: Config): CodeLine[] {
  const devices = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return script(config, {
    model: modelCode(config.model.layers, FIRST),
    wrapper: line(`model = nn.DataParallel(model, device_ids=[${devices}])`),
    loaders: [loader(config)],
    loop: {
      inputs: FIRST,
      targets: FIRST,
      inForward: [
        line('#   scatter: a chunk of x to each device', 'scatter'),
        line('#   replicate: the parameters to each device', 'replicate'),
        line('#   parallel_apply: each replica on its chunk', 'parallel_apply'),
        line('#   gather: the outputs on cuda:0', 'gather'),
      ],
      inBackward: [line('#   gradients summed to cuda:0', 'reduce')],
    },
  });
}

function ddp(config: Config): CodeLine[] {
  // A rank's device is counted on its node.
  const several = config.nodes > 1;
  const device = several ? 'local_rank' : 'rank';
  const { algorithm, overlap, samplesPerRank } = config.ddp;
  const loaders = loaderLines(config, rankBatch(config));
  const how = `${ALGORITHM_ADVERBS[algorithm]} ${overlap ? 'while backward runs' : 'after backward: overlap is off'}`;
  return script(config, {
    imports: [
      ...(several || algorithm === 'doubleTree' ? ['import os'] : []),
      ...(config.timeoutS === DEFAULT_CONFIG.timeoutS ? [] : ['from datetime import timedelta']),
      ...(samplesPerRank ? [] : ['from torch.utils.data.distributed import DistributedSampler']),
      'from torch.nn.parallel import DistributedDataParallel',
      ...hookImports(config),
    ],
    setUp: [
      ...ALGORITHM_LINES[algorithm],
      config.timeoutS === DEFAULT_CONFIG.timeoutS
        ? "torch.distributed.init_process_group('nccl')"
        : `torch.distributed.init_process_group('nccl', timeout=timedelta(seconds=${config.timeoutS}))`,
      'rank = torch.distributed.get_rank()',
      ...(several ? ["local_rank = int(os.environ['LOCAL_RANK'])"] : []),
    ],
    model: modelCode(config.model.layers, device),
    seeds: seedLines(config),
    dataNames: loaders.names,
    beforeWrapper: syncLines(config),
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
      noSync: true,
      join: joinLine(config),
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
    model: modelCode(config.model.layers, FIRST),
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
