/** The random numbers that a communication hook draws in a step. Called by axes/replicas. */
import { must } from '../../base/invariant';
import type { Noise } from '../facets/mode-steps';
import type { ModeInput } from '../mode-input';
import { stageGraph } from '../stage-graph';
import { commHookOf } from './comm-hooks/comm-hooks';
import { bucketsOf } from './ready-order';

export function hookNoise(input: ModeInput): (step: number) => readonly Noise[] {
  const hook = commHookOf(input.config);
  if (!hook.draws) return () => [];
  const stage = stageGraph(input, { rows: 2, withLoss: true });
  const shapeOf = new Map(stage.graph.values.map((v) => [v.name, v.type.shape]));
  const buckets = bucketsOf(stage, input.config, true).map((b) => b.map((p) => must(shapeOf.get(p.name), p.name)));
  return hook.draws(input.config, buckets);
}
