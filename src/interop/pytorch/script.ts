/**
 * The PyTorch script of a run: the common parts of all modes' scripts. It runs unchanged and prints the losses of the
 * run; if it cannot, a comment says so. Events of the trace point at a line by its anchor, so an anchor is on one line
 * only; lines without events have 'none'. A mode supplies its parts as Script; called by the modes' listings
 * (parallel/<mode>/listing).
 */
import type { Config } from '../../protocol/config';
import { checkpointCode } from './checkpoint';
import { type CodeLine, codeLine, codeLines } from './code-line';
import { dataCode } from './data';
import { endOfGroup, ONE_DEVICE } from './devices';
import type { Dialect } from './dialect';
import { importLines } from './imports';
import { launchLines } from './launch-command';
import { FROM_FILE, loopImports, trainingLoop } from './loop';
import { drops, FORWARD_LINE, SEND_LINE } from './model';
import { lossCode, optimizerCode, parametersOf, schedulerCode } from './optim';
import { scalerCode } from './precision';
import { python } from './python';
import type { Script } from './script-parts';

const CUDA_MASKS =
  '# dropout: the run has the masks that torch draws on the CPU; on CUDA torch draws others, and the losses differ';

function script(config: Config, parts: Script): CodeLine[] {
  const { model, wrapper, loop } = parts;
  const ranks = loop.ranks === true;
  const data = dataCode(config);
  const scheduler = schedulerCode(config.scheduler);
  // A checkpoint has its own weights.
  const weights = config.resume === undefined ? config.weights : undefined;
  const checkpoint = checkpointCode(config, {
    device: loop.inputs,
    pinned: parts.placing === ONE_DEVICE ? LISTING.pinned : 'gpus',
    ranks,
    notRead: parts.notRead ?? [],
    indices: data.indices,
    advance: scheduler.step,
  });
  const loadFile = 'from safetensors.torch import load_file';
  const syncs = ranks && config.accumulate > 1 && config.ddp.noSync !== 'none';
  const dataNames = ['DataLoader', ...data.names, ...(parts.dataNames ?? [])];
  return [
    ...codeLines(
      ...launchLines(config, ranks),
      ...(drops(config.model.layers) ? [CUDA_MASKS] : []),
      ...(parts.notes ?? []),
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
      ...(parts.beforeGroup ?? []),
      ...(parts.group ?? parts.placing ?? []),
      ...(parts.behindGroup ?? []),
    ),
    ...model.classes.map(placed),
    ...codeLines(
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
    ...codeLines(
      ...optimizerCode(
        config,
        { ...(parts.parameters ?? parametersOf(wrapper ? 'model.module' : 'model')), copies: parts.copies },
        parts.optimizerArguments,
        parts.optimizerWrapper,
      ),
      ...scalerCode(config, parts.scaler),
      ...scheduler.lines,
      ...checkpoint.optimizer,
      ...(parts.afterOptimizer ?? []).map(({ text }) => text),
      lossCode(config.loss, loop.targets),
      ...parts.loaders,
      ...checkpoint.loader,
    ),
    ...trainingLoop(config, config.resume === undefined ? loop : { ...loop, resumes: FROM_FILE }, scheduler.step),
    ...codeLines(...(parts.holdsGroup ? endOfGroup(parts.holdsGroup) : [])),
  ];
}

/** Lines of the classes that events point at. */
const placed = (text: string): CodeLine =>
  codeLine(text, text === SEND_LINE ? 'send_activation' : text === FORWARD_LINE ? 'forward' : 'none');

/** Samples of one backward pass: of a step, or of a micro-batch. */
export const microBatch = ({ batchSize, accumulate }: Config): number => Math.floor(batchSize / accumulate);

/** The rows of one process from torch's own loader. */
export const loader = (config: Config, dialect: Dialect, pinned: string): readonly string[] =>
  dialect.loader(
    { dataset: 'dataset', batchSize: microBatch(config), shuffle: config.shuffle, dropLast: config.dropLast },
    pinned,
  );

export const LISTING: Dialect = {
  server: 'devices[0]',
  pinned: "device.type == 'cuda'",
  nth: (k) => `devices[${k}]`,
  list: (devices) => `[f'cuda:{i}' if gpus else 'cpu' for i in [${devices.join(', ')}]]`,
  dataParallel: (devices) => `model = nn.DataParallel(model, device_ids=[${devices}])`,
  layer: (_, i) => `devices[${i}]`,
  // broadcast_buffers=False warns in 2.13; this argument has the intended meaning: the constructor still synchronizes.
  syncBuffers: 'forward_sync_buffers',
  deviceIds: 'device_ids=[device] if gpus else None',
  loader: ({ dataset, batchSize, sampler, shuffle, dropLast }, pinned) => [
    `loader = DataLoader(${[
      dataset,
      `batch_size=${batchSize}`,
      ...(sampler === undefined ? [] : [`sampler=${sampler}`]),
      ...(shuffle ? ['shuffle=True'] : []),
      ...(dropLast ? ['drop_last=True'] : []),
      `pin_memory=${pinned}`,
    ].join(', ')})`,
  ],
  loss: (expression, ranks) =>
    ranks
      ? [codeLine('if rank == 0:  # the loss over the rows of rank 0'), codeLine(`    print(${expression}.item())`)]
      : [codeLine(`print(${expression}.item())`)],
  pipelineLoss: ({ dp, tp }, isParallel) => {
    // All ranks of a tensor group have the loss of their rows.
    const first = tp > 1 ? ["mesh.get_local_rank('tp') == 0"] : [];
    return dp === 1
      ? codeLines(`if ${['last', ...first].join(' and ')}:`, '    print(torch.stack(losses).double().mean().item())')
      : codeLines(
          'if last:',
          `    loss = torch.stack(losses).detach().double().mean()${isParallel ? '.full_tensor()' : ''}`,
          "    torch.distributed.all_reduce(loss, group=mesh.get_group('dp'))",
          `    if ${['dp_rank == 0', ...first].join(' and ')}:`,
          `        print(loss.item() / ${dp})`,
        );
  },
  resumesStages: false,
  assemble: script,
};
