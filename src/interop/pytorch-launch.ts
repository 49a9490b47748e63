/** The command that starts the PyTorch listing: torchrun where there are ranks, with the devices that may be seen. Called by pytorch-code.ts. */
import type { Config } from '../protocol/config';

/** Comment lines above the script; none where `python train.py` is all there is to say. */
export function launchLines({ mode, worldSize, nodes, visibleDevices }: Config): readonly string[] {
  const visible = visibleDevices ? `CUDA_VISIBLE_DEVICES=${visibleDevices.join(',')} ` : '';
  if (mode !== 'ddp') return visible === '' ? [] : [`# ${visible}python train.py`];
  if (nodes === 1) return [`# ${visible}torchrun --nproc_per_node=${worldSize} train.py`];
  const perNode = Math.ceil(worldSize / nodes);
  return [
    `# on each of ${nodes} nodes: ${visible}torchrun --nnodes=${nodes} --nproc_per_node=${perNode} \\`,
    '#     --rdzv_backend=c10d --rdzv_endpoint=node0:29400 train.py',
  ];
}
