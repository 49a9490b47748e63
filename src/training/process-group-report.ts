/** The facts of a run's default process group, for its report. Called by report.ts. */
import { ranksByNode } from '../mesh/nodes';
import type { Config } from '../protocol/config';
import type { ProcessGroupReport } from '../protocol/session';

/** undefined: one process has no group. */
export function processGroupReport(config: Config, restarts: number): ProcessGroupReport | undefined {
  const { mode, placement, worldSize, ddp, timeoutS, maxRestarts } = config;
  if (mode !== 'ddp' && mode !== 'parameterServer') return undefined;
  return {
    backend: placement === 'shared' ? 'nccl' : 'gloo',
    worldSize,
    nodes: ranksByNode(worldSize, config.nodes),
    ...(mode === 'ddp' ? { algorithm: ddp.algorithm } : {}),
    timeoutS,
    maxRestarts,
    restarts,
  };
}
