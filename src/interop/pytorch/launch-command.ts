/**
 * The command that starts the PyTorch listing: torchrun if the run has ranks, with CUDA_VISIBLE_DEVICES if set. Called
 * by script.ts.
 */
import { type Config, DEFAULT_CONFIG } from '../../protocol/config';

/** torchrun starts the script from its top again. */
const RESTARTED = ['# ranks that torchrun restarts begin at the top; the run here continues from its last checkpoint'];

/** Comment lines above the script; none if the command is just `python train.py`. */
export function launchLines(
  { worldSize, nodes, visibleDevices, maxRestarts }: Config,
  ranks: boolean,
): readonly string[] {
  const visible = visibleDevices ? `CUDA_VISIBLE_DEVICES=${visibleDevices.join(',')} ` : '';
  if (!ranks) return visible === '' ? [] : [`# ${visible}python train.py`];
  const restarts = maxRestarts === DEFAULT_CONFIG.maxRestarts ? '' : `--max_restarts=${maxRestarts} `;
  const loads = restarts === '' || maxRestarts === 0 ? [] : RESTARTED;
  if (nodes === 1) return [`# ${visible}torchrun --nproc_per_node=${worldSize} ${restarts}train.py`, ...loads];
  const perNode = Math.ceil(worldSize / nodes);
  return [
    `# on each of ${nodes} nodes: ${visible}torchrun --nnodes=${nodes} --nproc_per_node=${perNode} \\`,
    `#     --rdzv_backend=c10d --rdzv_endpoint=node0:29400 ${restarts}train.py`,
    ...loads,
  ];
}
