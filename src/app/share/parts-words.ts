/**
 * The effect of `hide` and `lock` on each part of the page, for the Share dialog; docs/embedding.md has the same list.
 */
import type { PagePart } from '../permalink/permalink-view';

export const PART_WORDS: Readonly<Record<PagePart, string>> = {
  bar: 'the whole bar',
  mode: 'parallel mode',
  world: 'number of ranks',
  transport: 'play and step buttons',
  speed: 'pace',
  seed: 'seed',
  share: 'Share',
  checkpoints: 'checkpoints',
  lessons: 'link to the lessons',
  bugs: 'museum of bugs',
  lab: 'collectives lab',
  compare: 'comparison of two runs',
  recordings: 'recordings of PyTorch',
  setup: 'the whole set-up',
  presets: 'presets',
  data: 'data',
  model: 'model',
  training: 'training settings',
  cluster: 'cluster settings',
  buckets: 'DDP buckets',
  hardware: 'modelled hardware',
  failures: 'failures',
  stage: 'stage',
  timeline: 'timeline',
  result: 'the whole result',
  field: 'decision field',
  loss: 'loss plot',
  numbers: 'numbers',
  code: 'PyTorch code',
};
