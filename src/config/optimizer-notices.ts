/**
 * Notices about optimiser settings that are allowed, but may not be what the user meant. Each notice has a stable id.
 */
import { brief } from '../base/brief';
import { groupOf } from '../optim/param-groups';
import type { Config, SchedulerConfig } from '../protocol/config';
import type { Notice } from '../protocol/notice';

/** `parameters`: names of all trained parameters. */
export function optimizerNotices(
  {
    scheduler,
    paramGroups,
    clipGradNorm,
    clipGradNormType,
  }: Pick<Config, 'scheduler' | 'paramGroups' | 'clipGradNorm' | 'clipGradNormType'>,
  parameters: readonly string[],
): readonly Notice[] {
  const notices: Notice[] = [];
  const parts: readonly SchedulerConfig[] =
    scheduler === undefined ? [] : scheduler.type === 'SequentialLR' ? scheduler.schedulers : [scheduler];
  for (const part of parts) {
    if (part.type === 'OneCycleLR') {
      notices.push({
        level: 'info',
        id: 'one-cycle-end',
        text: `OneCycleLR ends after ${part.totalSteps} ${scheduler?.every === 'epoch' ? 'epochs' : 'steps'}; after that the learning rate keeps its last value.`,
        hint: `PyTorch would raise "Tried to step ${part.totalSteps + 2} times. The specified number of total steps is ${part.totalSteps}".`,
      });
    }
    const oneRate = part.type === 'OneCycleLR' || part.type === 'CyclicLR';
    if (oneRate && paramGroups.some(({ lr }) => lr !== undefined)) {
      notices.push({
        level: 'warning',
        id: 'group-rate-overridden',
        text: `${part.type} gives all parameter groups one learning rate: the learning rates in paramGroups have no effect.`,
        hint: 'Leave out lr in paramGroups, or choose another schedule.',
      });
    }
  }
  if (clipGradNorm === undefined && clipGradNormType !== undefined)
    notices.push({
      level: 'info',
      id: 'norm-type-alone',
      text: `clipGradNormType is ${clipGradNormType}, but without clipGradNorm no norm is clipped.`,
      hint: 'Set clipGradNorm, the greatest norm that gradients may have.',
    });
  const groups = new Set(parameters.map((name) => groupOf(name, paramGroups)));
  for (const [k, { match }] of paramGroups.entries()) {
    if (groups.has(k + 1)) continue;
    notices.push({
      level: 'warning',
      id: `empty-group-${k}`,
      text: `paramGroups.${k}: no parameter is left that matches "${brief(match)}".`,
      hint: `Each parameter belongs to the first group that matches it. Parameters: ${parameters.slice(0, 8).join(', ')}${parameters.length > 8 ? ' ...' : ''}.`,
    });
  }
  return notices;
}
