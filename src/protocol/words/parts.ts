/** Words of the small parts of the Config: some modes, the model, slowed ranks and links. */
import type { Config, Straggler } from '../config';
import { type NameIn, settings } from './setting';

export const MODEL = settings<NameIn<Config['model']>>('model', {
  layers: ['Layers', 'Layers in order, as in nn.Sequential. The output of each layer must fit the input of the next.'],
});

export const MODEL_PARALLEL = settings<NameIn<Config['modelParallel']>>('modelParallel', {
  split: ['Layers on each device', 'Number of layers on each device, for example [2, 3]; by default spread evenly.'],
});

export const STRAGGLER = settings<NameIn<Straggler>>('stragglers', {
  rank: ['Rank', 'The slow rank.'],
  from: ['From', 'The rank that sends.'],
  to: ['To', 'The rank that receives.'],
  factor: ['Factor', 'Factor by which the work of the rank, or the messages of the link, are slowed down.'],
});
