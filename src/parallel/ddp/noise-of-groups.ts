/**
 * The random numbers of communication hooks where several DDPs work side by side: each replica group has a hook of its
 * own, which draws as if it were alone. Called by the modes tensor and pipeline.
 */
import { must } from '../../base/invariant';
import type { Config } from '../../protocol/config';
import type { DeviceIndex } from '../../protocol/trace';
import type { Noise } from '../facets/mode-steps';
import type { StageGraph } from '../stage-graph';
import { commHookOf } from './comm-hooks/comm-hooks';
import { bucketsOf } from './ready-order';

export interface HookedGroup {
  readonly devices: readonly DeviceIndex[];
  /** Of the hook's buffer names, if a device has several stages. */
  readonly prefix: string;
  /** The part of the stage that the reducer sees. */
  readonly graph: StageGraph;
}

/** `groupsOf`: called only if the hook of the run draws random numbers. */
export function noiseOfGroups(
  config: Config,
  groupsOf: () => readonly HookedGroup[],
): (step: number) => readonly Noise[] {
  const hook = commHookOf(config);
  if (!hook.draws) return () => [];
  const draws = groupsOf().map(({ devices, prefix, graph }) => {
    const shapes = new Map(graph.graph.values.map(({ name, type }) => [name, type.shape]));
    const buckets = bucketsOf(graph, config, true).map((own) => own.map(({ name }) => must(shapes.get(name), name)));
    return { devices, prefix, draw: must(hook.draws, 'draws')(config, buckets) };
  });
  return (step) =>
    draws.flatMap(({ devices, prefix, draw }) =>
      draw(step).map(({ buffer, data }) => ({ buffer: `${prefix}${buffer}`, data, devices })),
    );
}
