/** The PyTorch script with DistributedDataParallel, one process for each rank. Called through mode.ts. */
import { algorithmAdverb, algorithmLines } from '../../interop/pytorch/algorithm';
import { codeLine as line, codeLines as lines } from '../../interop/pytorch/code-line';
import {
  averageLine,
  averagerLines,
  hookFunctions,
  hookImports,
  hookLines,
  keepsState,
  syncLines,
} from '../../interop/pytorch/comm-hooks';
import {
  type DataPlace,
  epochCount,
  joinLine,
  loaderLines,
  mostBatches,
  seedLines,
  setsEpoch,
  wrapperArguments,
  wrapperNotes,
} from '../../interop/pytorch/ddp';
import { ranksLines } from '../../interop/pytorch/devices';
import type { Dialect } from '../../interop/pytorch/dialect';
import { modelCode } from '../../interop/pytorch/model';
import { modelTypeLines } from '../../interop/pytorch/precision';
import { LISTING, microBatch } from '../../interop/pytorch/script';
import type { Script } from '../../interop/pytorch/script-parts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';
import type { CodeLine } from '../../protocol/trace';

/** Lines that a mode with DDP's step adds to DDP's script. */
export interface ListedBeside extends Pick<Script, 'imports' | 'notes' | 'optimizerWrapper'> {
  /** Absent: the place of a DistributedSampler over all ranks. */
  readonly place?: DataPlace;
}

/** Rows of a micro-batch on one rank. */
const rankBatch = (config: Config): number => Math.floor(microBatch(config) / config.worldSize);

/** `more`: lines of a mode that adds something to DDP's step. */
export function ddpListing(config: Config, dialect: Dialect = LISTING, more: ListedBeside = {}): CodeLine[] {
  const { algorithm, overlap, findUnusedParameters, staticGraph } = config.ddp;
  const uneven = mostBatches(config, rankBatch(config));
  const loaders = loaderLines(config, rankBatch(config), dialect, more.place);
  const how = `${algorithmAdverb(algorithm)} ${overlap ? 'while backward runs' : 'after backward: overlap is off'}`;
  return dialect.assemble(config, {
    ...(more.notes === undefined ? {} : { notes: more.notes }),
    ...(more.optimizerWrapper === undefined ? {} : { optimizerWrapper: more.optimizerWrapper }),
    about: `with DistributedDataParallel on ${config.worldSize} ranks`,
    ...(uneven === undefined ? {} : { uneven }),
    imports: [
      'import os',
      ...(config.timeoutS === DEFAULT_CONFIG.timeoutS ? [] : ['from datetime import timedelta']),
      'from torch.nn.parallel import DistributedDataParallel',
      ...hookImports(config),
      ...(more.imports ?? []),
    ],
    beforeGroup: algorithmLines(config),
    group: ranksLines(
      config.timeoutS === DEFAULT_CONFIG.timeoutS ? [] : [`timeout=timedelta(seconds=${config.timeoutS})`],
    ),
    holdsGroup: { holders: ['model'], graph: findUnusedParameters || staticGraph ? ['output', 'loss'] : [] },
    model: modelCode(config.model.layers, 'device', config.checkpointSegments),
    seeds: seedLines(config),
    dataNames: loaders.names,
    beforeWrapper: [...modelTypeLines(config), ...syncLines(config), ...lines(...wrapperNotes(config, dialect))],
    afterModel: [...lines(...hookFunctions(config)), ...hookLines(config)],
    afterOptimizer: averagerLines(config),
    notRead: keepsState(config) ? ['what the hook remembers'] : [],
    wrapper: line(
      `model = DistributedDataParallel(${['model', dialect.deviceIds, ...wrapperArguments(config, dialect)].join(', ')})`,
      'broadcast',
    ),
    loaders: loaders.lines,
    loop: {
      inputs: 'device',
      targets: 'device',
      epochStart: setsEpoch(config) ? [line('sampler.set_epoch(epoch)', 'set_epoch')] : [],
      inBackward: [line(`#   buckets all-reduced${how}`, 'allreduce')],
      ranks: true,
      log: dialect.loss('loss', true),
      afterStep: averageLine(config),
      join: joinLine(config),
      epochs: config.epochs === undefined ? epochCount(config, rankBatch(config)) : undefined,
    },
  });
}
