/** Notices about settings that are allowed, but worth mentioning before a run starts. Each notice has a stable id. */

import { deviceNotices } from '../launch/device-notices';
import { spreadOverNodes } from '../mesh/nodes';
import type { ParallelMode } from '../parallel/mode';
import type { Config } from '../protocol/config';
import type { Notice } from '../protocol/notice';
import { modeNotices } from './mode-notices';

/** `mode`: of the run. Notices of the mode itself are in ModeChecks.notices. */
export const configNotices = (config: Config, mode: ParallelMode): readonly Notice[] => [
  ...modeNotices(config, mode.face),
  ...deviceNotices(config, mode),
  ...(!mode.face.oneDevice && config.nodes > 1 ? nodeNotices(config) : []),
];

function nodeNotices({ worldSize, nodes, hardware }: Config): readonly Notice[] {
  const sizes = Array.from({ length: nodes }, () => 0);
  for (const node of spreadOverNodes(worldSize, nodes)) sizes[node] = (sizes[node] ?? 0) + 1;
  const notices: Notice[] = [];
  if (worldSize % nodes !== 0)
    notices.push({
      level: 'info',
      id: 'nodes-uneven',
      text: `${worldSize} devices cannot be divided evenly among ${nodes} nodes: the nodes get ${sizes.join(', ')}.`,
      hint: 'torchrun starts the same number of processes on every node; choose a number of devices that is a multiple of the number of nodes.',
    });
  if (hardware === 'ethernet10g')
    notices.push({
      level: 'info',
      id: 'nodes-alike',
      text: 'The modelled machine has one device per node: every message goes over the Ethernet, whatever the number of nodes.',
      hint: 'Choose NVLink or PCIe to see the effect of nodes.',
    });
  return notices;
}
