/** What is legal but worth saying before a run starts. Each notice has a stable id. */

import { chunkSizes } from '../data/chunk';
import { deviceNotices } from '../launch/device-notices';
import { spreadOverNodes } from '../mesh/nodes';
import type { AlgorithmName } from '../protocol/collective';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/session';
import { hookNotices } from './check-hooks';
import { modeNotices } from './mode-notices';

export function configNotices(
  config: Config,
  found: { readonly outputs: number; readonly rows: number; readonly processes: number },
): readonly Notice[] {
  const notices: Notice[] = [...modeNotices(config), ...deviceNotices(config), ...hookNotices(config, found.rows)];
  const { batchSize, worldSize, mode } = config;
  const used = found.rows * found.processes;
  if (mode === 'ddp' && used < batchSize && batchSize % worldSize !== 0) {
    notices.push({
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${worldSize} ranks: each rank trains on ${found.rows}, ${used} together.`,
      hint: `Choose a multiple of ${worldSize} to compare with the other modes sample for sample.`,
    });
  }
  if (mode === 'dataParallel') {
    const chunks = chunkSizes(Math.min(batchSize, found.rows), worldSize).length;
    if (chunks < worldSize) {
      notices.push({
        level: 'info',
        id: 'fewer-chunks',
        text: `torch.chunk cuts ${found.rows} samples into ${chunks} chunks for ${worldSize} devices: ${worldSize - chunks} ${worldSize - chunks === 1 ? 'device stays' : 'devices stay'} idle.`,
        hint: 'DataParallel uses as many replicas as there are chunks.',
      });
    }
  }
  if (mode !== 'single' && config.nodes > 1) notices.push(...nodeNotices(config));
  if (config.loss.reduction === 'sum' && mode === 'ddp' && worldSize > 1) {
    notices.push({
      level: 'warning',
      id: 'sum-loss',
      text: `DDP averages gradients, so a summed loss gives 1/${worldSize} of the single-device gradient.`,
      hint: 'Use reduction "mean", or multiply the loss by the world size.',
    });
  }
  return notices;
}

function nodeNotices({ worldSize, nodes, hardware, mode, ddp }: Config): readonly Notice[] {
  const sizes = Array.from({ length: nodes }, () => 0);
  for (const node of spreadOverNodes(worldSize, nodes)) sizes[node] = (sizes[node] ?? 0) + 1;
  const notices: Notice[] = [];
  if (worldSize % nodes !== 0)
    notices.push({
      level: 'info',
      id: 'nodes-uneven',
      text: `${worldSize} devices do not divide by ${nodes} nodes: they are spread ${sizes.join(', ')}.`,
      hint: 'torchrun starts the same number of processes on every node; choose numbers that divide.',
    });
  if (hardware === 'ethernet10g')
    notices.push({
      level: 'info',
      id: 'nodes-alike',
      text: 'The modelled machine has one device per node: every message goes over the Ethernet, whatever the number of nodes.',
      hint: 'Choose NVLink or PCIe to see what nodes change.',
    });
  else if (mode === 'ddp' && ddp.algorithm !== 'hierarchical')
    notices.push({
      level: 'info',
      id: 'nodes-flat',
      text: `The ${ALGORITHM_WORDS[ddp.algorithm]} ignores nodes: any of its messages may have to take the slow links between them.`,
      hint: 'The hierarchical all-reduce sends most of its bytes inside the nodes.',
    });
  return notices;
}

const ALGORITHM_WORDS: Readonly<Record<AlgorithmName, string>> = {
  ring: 'ring',
  naive: 'naive all-reduce',
  tree: 'binary tree',
  doubleTree: 'double binary tree',
  halvingDoubling: 'recursive halving and doubling',
  hierarchical: 'hierarchical all-reduce',
};
