/** How many stages and ranks a pipeline of a model can have. Called by face.ts, face-fit.ts and the split. */
import type { Config } from '../../protocol/config';
import { batchNorms, LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';

type Settings = Config['pipeline'];

/** Stages per rank: the schedule's number, or the number in the settings. */
export const stagesOfRank = ({ schedule, stagesPerRank }: Settings): number =>
  FIXED_STAGES[schedule] ?? stagesPerRank ?? 2;

const FIXED_STAGES: Readonly<Partial<Record<Settings['schedule'], number>>> = {
  GPipe: 1,
  '1F1B': 1,
  ZBVZeroBubble: 2,
  DualPipeV: 2,
};

export const layersWithWeights = ({ model }: Config): number =>
  model.layers.filter(({ type }) => LAYERS_WITH_WEIGHTS.has(type)).length;

/** The most ranks over all replicas and tensor groups: every stage needs a layer with weights. */
export const mostRanks = (config: Config): number =>
  ranksOf({ ...meshSizes(config), pp: 1 }) * Math.floor(layersWithWeights(config) / stagesOfRank(config.pipeline));

/** Stages of the run; each begins with a layer with weights. The user's own schedule names its stages in its text. */
export function stagesWanted(config: Config): number {
  const { schedule, actions = '' } = config.pipeline;
  if (schedule !== 'own') return meshSizes(config).pp * stagesOfRank(config.pipeline);
  const stages = [...actions.matchAll(/(\d{1,4})F\d/gi)].map(([, stage]) => Number(stage));
  return stages.reduce((most, stage) => Math.max(most, stage + 1), 1);
}

/** The fewest rows of a micro-batch: batch norm needs two. */
export const leastRows = ({ model }: Pick<Config, 'model'>): number => (batchNorms(model.layers) > 0 ? 2 : 1);
