/** Single: one process, one device; the reference that every other mode is compared with. */
import type { ParallelMode } from '../mode';
import { compileSingle } from './compile';

export const single: ParallelMode = {
  name: 'single',
  mesh: () => ({ ranks: [0], processes: 1 }),
  layersOfDevice: (config) => [config.model.layers.map((_, i) => i)],
  rowsOfDevice: (_config, [rows = 0]) => [[0, rows]],
  compile: compileSingle,
};
