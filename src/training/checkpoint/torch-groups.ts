/**
 * The optimiser's state as torch's optimizer.state_dict() lays it out: parameters numbered through the groups in the
 * order in which the script makes them, states under their number, groups with their settings. Written into a
 * checkpoint and checked when one is loaded.
 */
import { at } from '../../base/invariant';
import { inGroup, optimizerState } from '../../optim/optimizer';
import { groupOf, groupSettings } from '../../optim/param-groups';
import { makeSchedule } from '../../optim/rates';
import type { Config } from '../../protocol/config';
import type { Stateful } from '../world-state';

/** An entry of param_groups, with torch's names. */
export type TorchGroup = Readonly<Record<string, unknown>> & { readonly params: readonly number[] };

export interface TorchGroups {
  readonly groups: readonly TorchGroup[];
  /** Names of the parameters by number. */
  readonly names: readonly string[];
}

/**
 * Names by group: the patterns in order, then the names that no pattern matches, as in the script of the code panel.
 */
export function groupedNames(
  names: readonly string[],
  { paramGroups }: Pick<Config, 'paramGroups'>,
): readonly { readonly group: number; readonly names: readonly string[] }[] {
  const order = [...paramGroups.map((_, k) => k + 1), 0];
  return order
    .map((group) => ({ group, names: names.filter((name) => groupOf(name, paramGroups) === group) }))
    .filter((g) => g.names.length > 0);
}

/** Names of the states of one parameter; these may differ between groups. */
export const statesOf = (config: Config, parameter: string): readonly string[] =>
  optimizerState(inGroup(config, groupOf(parameter, config.paramGroups))).map(({ name }) => name);

/** Parameters for which the optimizer has states (those with a gradient), or all if the optimizer keeps none. */
export function steppedParameters(
  config: Config,
  parameters: readonly string[],
  held: readonly Stateful[],
): readonly string[] {
  const buffers = new Set(held.map(({ spec }) => spec.name));
  return parameters.filter((name) => {
    const [first] = statesOf(config, name);
    return first === undefined || buffers.has(`${name}.${first}`);
  });
}

/** `steps`: optimiser steps taken so far; `epoch`: the epoch of the last one. */
export function torchGroups(config: Config, parameters: readonly string[], steps: number, epoch: number): TorchGroups {
  const { scheduler } = config;
  const grouped = groupedNames(parameters, config);
  const names = grouped.flatMap((g) => g.names);
  const settings = groupSettings(config);
  const rates = makeSchedule(config)(scheduler?.every === 'epoch' ? Math.max(0, epoch) : steps);
  const groups = grouped.map(({ group, names: own }) => {
    const { lr, initialLr, momentum } = at(rates, group);
    const { type: _, lr: __, ...rest } = at(settings, group);
    const torch = snakeCase(rest);
    return {
      lr,
      ...torch,
      ...('momentum' in rest && momentum !== undefined ? { momentum } : {}),
      // OneCycleLR and CyclicLR change Adam's first beta as they change a momentum.
      ...('beta1' in rest && momentum !== undefined ? { betas: [momentum, rest.beta2] } : {}),
      // OneCycleLR reads it in every step: the rate that the schedule starts with.
      ...(scheduler === undefined ? {} : { initial_lr: initialLr }),
      params: own.map((name) => names.indexOf(name)),
    };
  });
  return { groups, names };
}

function snakeCase(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { beta1, beta2, ...rest } = settings;
  const named = Object.entries(rest).map(([key, value]) => [
    key.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
    value,
  ]);
  return { ...Object.fromEntries(named), ...(beta1 === undefined ? {} : { betas: [beta1, beta2] }) };
}
