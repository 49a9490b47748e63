/** Words of the settings in the bar, which the page loads before those in the set-up. */
import { settings } from './setting';

export type InBar = 'seed' | 'mode' | 'worldSize';

export const BAR = settings<InBar>('', {
  seed: ['Seed', 'torch.manual_seed: same seed, same initial weights and order as in PyTorch.'],
  mode: ['Mode', 'How the work is split over the devices.'],
  worldSize: ['Devices', 'world_size: number of devices; the mode Single uses one.'],
});
