/**
 * The PyTorch script of a run: what the scripts of all modes have in common. It runs as it is and prints the losses of
 * the run; where it cannot, a comment says so. Events of the trace point at a line by its anchor, so an anchor is on
 * one line only; lines that no event points at have 'none'. What a mode puts into it comes as Script; called by the
 * modes' listings (parallel/<mode>/listing).
 */
import type { Config } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { python } from './python';
import { checkpointCode } from './pytorch-checkpoint';
import { dataCode } from './pytorch-data';
import type { seedLines } from './pytorch-ddp';
import { importLines } from './pytorch-imports';
import { launchLines } from './pytorch-launch';
import { type LoopParts, loopImports, trainingLoop } from './pytorch-loop';
import { drops, FORWARD_LINE, type ModelCode, SEND_LINE } from './pytorch-model';
import { lossCode, optimizerCode, type Parameters, parametersOf, schedulerCode } from './pytorch-optim';

export const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });
export const lines = (...texts: readonly string[]): CodeLine[] => texts.map((text) => line(text));

export interface Script {
  /** Above everything, as comments. */
  readonly notes?: readonly string[];
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
  readonly afterOptimizer?: readonly CodeLine[];
  /** What the optimiser steps, where it is not all of the model. */
  readonly parameters?: Parameters;
  /** What a checkpoint has, and the script does not read. */
  readonly notRead?: readonly string[];
  readonly loaders: readonly string[];
  readonly loop: LoopParts;
}

export const FIRST = "'cuda:0'";
const CUDA_MASKS =
  '# dropout: the run has the masks that torch draws on the CPU; on CUDA it draws others, and the losses differ';

export function script(config: Config, parts: Script): CodeLine[] {
  const { model, wrapper, loop } = parts;
  const ranks = loop.ranks === true;
  const data = dataCode(config);
  const scheduler = schedulerCode(config.scheduler);
  // A checkpoint brings its own weights.
  const weights = config.resume === undefined ? config.weights : undefined;
  const checkpoint = checkpointCode(config, {
    device: ranks ? `f'cuda:{${loop.inputs}}'` : FIRST,
    ranks,
    notRead: parts.notRead ?? [],
    indices: data.indices,
    advance: scheduler.step,
  });
  const loadFile = 'from safetensors.torch import load_file';
  const syncs = ranks && config.accumulate > 1 && config.ddp.noSync !== 'none';
  const dataNames = ['DataLoader', ...data.names, ...(parts.dataNames ?? [])];
  return [
    ...lines(
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
      ...optimizerCode(config, parts.parameters ?? parametersOf(wrapper ? 'model.module' : 'model')),
      ...scheduler.lines,
      ...checkpoint.optimizer,
      ...(parts.afterOptimizer ?? []).map(({ text }) => text),
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
export const microBatch = ({ batchSize, accumulate }: Config): number => Math.floor(batchSize / accumulate);

/** `pinned`: a Python expression. */
export function loader(config: Config, pinned = 'True'): string {
  const args = ['dataset', `batch_size=${microBatch(config)}`, ...(config.shuffle ? ['shuffle=True'] : [])];
  const all = [...args, ...(config.dropLast ? ['drop_last=True'] : []), `pin_memory=${pinned}`];
  return `loader = DataLoader(${all.join(', ')})`;
}
