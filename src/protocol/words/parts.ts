/** Words of the small parts of the Config: of some modes, of the model, of what is slowed down. */
import type { Config, Straggler } from '../config';
import { type NameIn, settings } from './setting';

export const MODEL = settings<NameIn<Config['model']>>('model', {
  layers: ['Layers', 'Layers in order, as in nn.Sequential. What one gives must fit what the next takes.'],
});

export const MODEL_PARALLEL = settings<NameIn<Config['modelParallel']>>('modelParallel', {
  split: ['Layers on each device', 'How many layers each device holds, as in [2, 3]; without it, spread evenly.'],
});

export const STRAGGLER = settings<NameIn<Straggler>>('stragglers', {
  rank: ['Rank', 'The rank that is slow.'],
  from: ['From', 'The rank that sends.'],
  to: ['To', 'The rank that receives.'],
  factor: ['Factor', 'Slowed down by this factor: the work of a rank, or the messages of a link.'],
});
