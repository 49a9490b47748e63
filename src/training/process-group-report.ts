/** The facts of a run's default process group, for its report. Called by report.ts. */
import { nodeOfDevices } from '../collectives/nodes';
import type { Config } from '../protocol/config';
import type { ProcessGroupReport } from '../protocol/session';
import type { Rank } from '../protocol/trace';

/** undefined: one process has no group. */
export function processGroupReport(config: Config, restarts: number): ProcessGroupReport | undefined {
  const { mode, placement, worldSize, ddp, timeoutS, maxRestarts } = config;
  if (mode !== 'ddp' && mode !== 'parameterServer') return undefined;
  const nodes: Rank[][] = [];
  nodeOfDevices(config).forEach((node, rank) => {
    nodes[node] = [...(nodes[node] ?? []), rank];
  });
  return {
    backend: placement === 'shared' ? 'nccl' : 'gloo',
    worldSize,
    nodes,
    ...(mode === 'ddp' ? { algorithm: ddp.algorithm } : {}),
    timeoutS,
    maxRestarts,
    restarts,
  };
}
