/**
 * Notices of a resuming run before its first step: its step, and everything that differs from the saved run. Called by
 * resume-plan.ts.
 */
import { plural } from '../../base/plural';
import type { ModeFacets } from '../../parallel/facets/mode-facets';
import type { Config } from '../../protocol/config';
import { hasDropout } from '../../protocol/config/layer-kinds';
import { stepWords } from '../../protocol/micro-batches';
import type { Notice } from '../../protocol/notice';
import type { ConfigChanges } from './config-changes';
import { modelFileName } from './file-names';
import { prefixNotice } from './prefix-notices';
import type { SavedCheckpoint } from './read-checkpoint';

export interface Resuming {
  readonly saved: SavedCheckpoint;
  readonly config: Config;
  readonly facets: ModeFacets;
  readonly worldSize: number;
  readonly processes: number;
  readonly batchesPerEpoch: number;
  readonly changes: ConfigChanges;
  /** Optimiser states that start from their initial values. */
  readonly fresh: readonly string[];
  readonly exact: boolean;
  readonly sameWorld: boolean;
  readonly sameRows: boolean;
  /** Where the run begins. */
  readonly microBatch: number;
}

export function resumeNotices(resuming: Resuming): readonly Notice[] {
  const { saved, config, changes, exact, fresh, processes } = resuming;
  const own = config.resumeBy === 'rank0' && processes > 1 ? ownNames(resuming) : [];
  const ownState = own.length > 0;
  const bitwise = exact && !ownState && !saved.leftJoin && changes.names.length === 0 && fresh.length === 0;
  const how = bitwise
    ? 'from here on the run has the same bits as a run without the interruption'
    : 'the run’s numbers differ from the numbers of a run without the interruption';
  const moved = saved.placement === config.placement ? '' : `, saved ${placementWords(saved.placement)}`;
  const notices: Notice[] = [
    {
      level: 'info',
      id: 'resumed',
      text: `Resumed from the checkpoint "${saved.name}" before ${stepWords(resuming.microBatch, config)}${moved}: ${how}.`,
      hint: 'The run begins there; on the page, Reset goes back to this step.',
    },
  ];
  if (!resuming.sameWorld || !resuming.sameRows) notices.push(worldNotice(resuming));
  if (changes.names.length > 0) {
    notices.push({
      level: 'warning',
      id: 'resume-settings',
      text: `These settings differ from the checkpoint’s: ${changes.names.join(', ')}. The run continues with the current settings; in PyTorch, optimizer.load_state_dict would restore the saved param_groups (lr, momentum ...).`,
      hint: "Use the checkpoint's configuration to continue exactly as if the run had never stopped.",
    });
  }
  if (saved.leftJoin) {
    notices.push({
      level: 'warning',
      id: 'resume-join',
      text: 'The saved run ended within an epoch. As in PyTorch, join() ended there, and all ranks took the model of the last rank. A run without the interruption keeps the models of all ranks until the epoch ends.',
      hint: 'Save a checkpoint before the last step, or end the saved run with an epoch.',
    });
  }
  if (fresh.length > 0) {
    notices.push({
      level: 'warning',
      id: 'resume-state',
      text: `The checkpoint has no ${fresh.join(', ')}, so the run starts with zeros there.`,
      hint: 'The checkpoint was saved with another optimizer.',
    });
  }
  if (saved.wrapped) notices.push(prefixNotice(modelFileName(saved.name)));
  if (config.weights !== undefined) {
    notices.push({
      level: 'warning',
      id: 'resume-weights',
      text: `The weights of ${config.weights} are not used: the checkpoint has weights, too.`,
      hint: 'Set either weights or resume.',
    });
  }
  if (config.resumeBy === 'rank0' && processes === 1) {
    notices.push({
      level: 'info',
      id: 'resume-by',
      text: 'resumeBy "rank0" has no effect: there is one process, and it reads the checkpoint.',
      hint: 'Only DDP with two or more ranks uses this setting.',
    });
  }
  if (ownState) {
    notices.push({
      level: 'warning',
      id: 'resume-by',
      text: `In the checkpoint each rank has its own values of ${own.slice(0, 4).join(', ')}. All ranks now use the values of rank 0, because only rank 0 has read the checkpoint.`,
      hint: 'With resumeBy "everyRank" each rank continues with its own values.',
    });
  }
  return notices;
}

/** Running statistics; under DDP the first forward pass of the run takes rank 0's anyway. */
const isStatistic = (name: string): boolean => /(^|\.)(running_mean|running_var|num_batches_tracked)$/.test(name);

/** Names of tensors that differed between ranks, without gradients and tensors that are broadcast anyway. */
function ownNames({ saved, config, facets }: Resuming): readonly string[] {
  const broadcast = facets.processes.broadcastsBuffers?.(config) === true;
  return [...saved.values].flatMap(([name, held]) =>
    held.length > 1 && !name.endsWith('.grad') && !(broadcast && isStatistic(name)) ? [name] : [],
  );
}

const placementWords = (placement: string): string =>
  placement === 'workers' ? 'with one worker per rank' : 'with all ranks on one device';

function worldNotice({
  saved,
  config,
  worldSize,
  processes,
  batchesPerEpoch,
  changes,
  microBatch,
  sameRows,
}: Resuming): Notice {
  const before = saved.batches.generators.length;
  const size = (n: number) => Math.floor(Math.floor(config.batchSize / config.accumulate) / n);
  const parts = [
    `Saved with ${saved.mode} on ${plural(saved.worldSize, 'device')}, resumed with ${config.mode} on ${plural(worldSize, 'device')}: parameters, optimiser state, schedule and step continue.`,
  ];
  if (before !== processes) {
    parts.push(
      `Each rank now takes ${plural(size(processes), 'sample')} per step; in the saved run ${plural(before, 'rank')} took ${size(before)} each.`,
    );
  }
  if (!sameRows) {
    const why = changes.ofBatches.length > 0 ? ` (${changes.ofBatches.join(', ')})` : '';
    const place = microBatch % batchesPerEpoch;
    parts.push(
      `The samplers distribute the rows again${why}: epoch ${Math.floor(microBatch / batchesPerEpoch)} continues at batch ${place} of ${batchesPerEpoch}.`,
    );
  }
  const again = microBatch % config.accumulate === 0 ? saved.microBatch % saved.accumulate : 0;
  if (again > 0)
    parts.push(`${plural(again, 'micro-batch')} of an unfinished step ${again === 1 ? 'is' : 'are'} done again.`);
  if (processes > 1 && [...saved.values.keys()].some(isStatistic))
    parts.push('All ranks take the running statistics of rank 0.');
  if (hasDropout(config.model.layers)) parts.push('Dropout draws different masks.');
  return {
    level: 'warning',
    id: 'resume-world',
    text: parts.join(' '),
    hint: 'The run is reproducible, but its numbers differ from the numbers of a run without the interruption.',
  };
}
