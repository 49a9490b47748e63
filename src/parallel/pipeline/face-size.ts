/** How many stages and ranks a pipeline of a model can have. Called by face.ts, face-fit.ts and the split. */
import type { Config } from '../../protocol/config';
import { batchNorms, LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { meshSizes, ranksOf } from '../../protocol/mesh-sizes';

type Settings = Config['pipeline'];

/** Stages that each rank has: the schedule's number, or that of the settings. */
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

/** Ranks of all replicas and tensor groups: each line of stages has a layer with weights for each of them. */
export const mostRanks = (config: Config): number =>
  ranksOf({ ...meshSizes(config), pp: 1 }) * Math.floor(layersWithWeights(config) / stagesOfRank(config.pipeline));

/** Stages of the run: each begins with a layer that has weights. Those of the user's own schedule are in its text. */
export function stagesWanted(config: Config): number {
  const { schedule, actions = '' } = config.pipeline;
  if (schedule !== 'own') return meshSizes(config).pp * stagesOfRank(config.pipeline);
  const stages = [...actions.matchAll(/(\d{1,4})F\d/gi)].map(([, stage]) => Number(stage));
  return stages.reduce((most, stage) => Math.max(most, stage + 1), 1);
}

/** Rows that a micro-batch needs: batch norm asks for two. */
export const leastRows = ({ model }: Pick<Config, 'model'>): number => (batchNorms(model.layers) > 0 ? 2 : 1);
