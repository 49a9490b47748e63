/** The machine of a run: the hardware in its settings, with slower links between the run's nodes. Called by session. */
import { spreadOverNodes } from '../mesh/nodes';
import type { Config } from '../protocol/config';
import { HARDWARE, type Hardware } from './hardware';

export function machineOf(config: Pick<Config, 'hardware' | 'worldSize' | 'nodes'>, id = config.hardware): Hardware {
  const hardware = HARDWARE[id];
  if (config.nodes === 1 || config.worldSize === 1) return hardware;
  return { ...hardware, nodeOf: spreadOverNodes(config.worldSize, config.nodes) };
}
