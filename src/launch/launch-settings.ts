/** The settings of a configuration that make a run equal to a launch line. Called by the page and the command line. */
import { LockstepError } from '../base/errors';
import { type ConfigInput, LIMITS } from '../protocol/config';
import type { LaunchPlan } from '../protocol/process-group';

export function launchSettings({ nodes, worldSize, maxRestarts, visibleDevices }: LaunchPlan): ConfigInput {
  if (worldSize > LIMITS.worldSize)
    throw new LockstepError(
      'placement',
      `The command starts ${worldSize} processes; Lockstep runs at most ${LIMITS.worldSize}.`,
      'Ask for fewer nodes, or fewer processes per node.',
      { worldSize },
    );
  const sizes = nodes.map(({ ranks }) => ranks.length);
  if (new Set(sizes).size > 1)
    throw new LockstepError(
      'placement',
      `${worldSize} processes are not spread evenly over ${sizes.length} nodes (${sizes.join(', ')}).`,
      'Choose a number of tasks that is a multiple of the number of nodes.',
      { sizes },
    );
  return {
    worldSize,
    nodes: nodes.length,
    maxRestarts,
    ...(visibleDevices === undefined ? {} : { visibleDevices: [...visibleDevices] }),
  };
}
