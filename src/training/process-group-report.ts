/** The facts of a run's default process group, for its report. Called by report.ts. */
import { ranksByNode } from '../mesh/nodes';
import type { ProcessGroupReport } from '../protocol/report';
import type { Blueprint } from './blueprint';

/** undefined for one process, which has no group. */
export function processGroupReport(
  { config, facets }: Pick<Blueprint, 'config' | 'facets'>,
  restarts: number,
): ProcessGroupReport | undefined {
  const { placement, worldSize, timeoutS, maxRestarts } = config;
  const group = facets.processes.group?.(config);
  if (!group) return undefined;
  return {
    backend: placement === 'shared' ? 'nccl' : 'gloo',
    worldSize,
    nodes: ranksByNode(worldSize, config.nodes),
    ...group,
    timeoutS,
    maxRestarts,
    restarts,
  };
}
