/**
 * Notices about a pipeline before it runs: where PyTorch would stop or behave differently (recorded with torch 2.13),
 * and where the numbers differ from one device's. Called by axes/stages.
 */
import { at } from '../../base/invariant';
import type { Config, LayerConfig } from '../../protocol/config';
import { meshSizes, replicasOf } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { actionsOf, halvesBackward } from '../../schedules/actions-of';
import { ignoredDdpNotices } from '../ddp/around-parts';
import type { NoticeInput } from '../facets/mode-checks';
import { noticesOfCuts } from '../tensor/cuts-beside';
import { listedModules } from '../tensor/listed-modules';
import { unevenBorders } from '../tensor/uneven-borders';
import type { AroundStages } from './around-stages';
import { microBatchesFor } from './short-batch';
import { endsInView, layerRanges } from './split';
import { scheduleOf } from './stage-graphs';
import { stageOfModule } from './stage-of-module';

export const pipelineNotices = (input: NoticeInput, around: AroundStages): readonly Notice[] => [
  ...sizeNotices(input),
  ...layerNotices(input),
  ...viewNotices(input.config),
  ...orderNotices(input.config),
  ...gradientNotices(input.config),
  ...around.notices(input.config),
  ...noticesOfCuts(input),
  ...borderNotices(input.config),
  ...ignoredDdpNotices(input.given, around.ddpSettings),
];

/** A batch with fewer rows than micro-batches is cut into fewer micro-batches. */
function inFewer(config: Config, rows: number): string {
  const count = microBatchesFor(config, [rows]);
  if (count === config.pipeline.microBatches) return '';
  return `, and runs in ${count} ${count === 1 ? 'micro-batch' : 'micro-batches'} instead of ${config.pipeline.microBatches}`;
}

/** PyTorch's stages take only micro-batches with the shape of the first one. */
function sizeNotices({ config, schedule, rows }: NoticeInput): readonly Notice[] {
  const { pipeline, batchSize } = config;
  const replicas = replicasOf(config);
  const { microBatches } = pipeline;
  const full = rows[0] ?? 0;
  const short = Object.values(schedule.sizes).find((sizes) => sizes?.some((count) => count !== full))?.[0];
  const notices: Notice[] = [];
  if (full * replicas < batchSize)
    notices.push({
      level: 'info',
      id: 'batch-uneven',
      text: `A batch of ${batchSize} does not divide by ${replicas} replicas: each replica trains on ${full === 1 ? 'one row' : `${full} rows`}, which is ${full * replicas} in all.`,
      hint: `Choose a multiple of ${replicas} to compare with the other modes sample for sample.`,
    });
  if (full % microBatches !== 0)
    notices.push({
      level: 'warning',
      id: 'micro-batches-uneven',
      text: `${full} rows cannot be cut into ${microBatches} micro-batches of equal size. PyTorch fails here: its stages take the shape of the first micro-batch. This run continues, and a short micro-batch counts as much as the others.`,
      hint: 'Let pipeline.microBatches divide the rows of each replica.',
    });
  else if (short !== undefined)
    notices.push({
      level: 'warning',
      id: 'pipeline-last-batch',
      text: `The last batch of an epoch has ${short} rows instead of ${full}${inFewer(config, short)}. PyTorch fails or hangs there: its stages keep the shapes of the first step. This run computes the batch, and its script does, too.`,
      hint: 'Set dropLast to true.',
    });
  return notices;
}

function layerNotices({ config: { pipeline }, stage }: NoticeInput): readonly Notice[] {
  const { microBatches } = pipeline;
  const notices: Notice[] = [];
  if (stage.graph.values.some(({ role, name }) => role === 'buffer' && name.includes('running')))
    notices.push({
      level: 'info',
      id: 'pipeline-batch-norm',
      text: `Batch norm takes the mean and variance of each micro-batch and updates its running statistics ${microBatches === 1 ? 'once' : `${microBatches} times`} in a step. PyTorch also counts a pass in which its stages find out their shapes: num_batches_tracked is one higher after the first step, and the running statistics of later stages begin with values from uninitialised memory. This run does not.`,
      hint: 'In PyTorch, call reset_running_stats() after the first step, or use LayerNorm or GroupNorm.',
    });
  if (stage.masks.length > 0)
    notices.push({
      level: 'info',
      id: 'pipeline-dropout',
      text: 'Each rank draws the dropout masks of its stages from its own random generator, for one micro-batch after the other. A single device draws all masks from one generator, so its losses differ.',
      hint: '',
    });
  return notices;
}

function viewNotices(config: Config): readonly Notice[] {
  if (!halvesBackward(scheduleOf(config))) return [];
  const { layers } = config.model;
  const last = layerRanges(config)
    .slice(0, -1)
    .map(({ end }) => end - 1);
  const flat = last.filter((layer) => endsInView(at(layers, layer)));
  const cut = last.filter((layer) => isCutBehind(config, layer));
  const endsIn = (what: string, hint: string): Notice => ({
    level: 'warning',
    id: 'stage-ends-in-view',
    text: `PyTorch stops in this schedule if a stage ends with ${what}: “Can’t detach views in-place”. This run continues.`,
    hint: `${hint}: change pipeline.split.`,
  });
  const notices: Notice[] = [];
  if (flat.length > 0)
    notices.push(endsIn(`Flatten, as layer ${flat.join(' and ')} does`, 'Begin the next stage with the Flatten layer'));
  if (cut.length > 0)
    notices.push(
      endsIn(
        `a layer that tensor.plan cuts, as layer ${cut.join(' and ')} is, because the output of such a layer is a view of a DTensor`,
        'Let the stage end with another layer, such as an activation',
      ),
    );
  return notices;
}

/** Whether the output of a layer of the model is what a module of the plan returns. */
function isCutBehind(config: Config, layer: number): boolean {
  const { layers } = config.model;
  const { type, name = String(layer) } = at(layers, layer);
  if (meshSizes(config).tp === 1 || RETURNS_A_SUM.has(type)) return false;
  const last = listedModules(config).findLast(({ path }) => path === name || path.startsWith(`${name}.`));
  return last?.style !== undefined && !bordersIn(config).flat().includes(last.path);
}

const RETURNS_A_SUM: ReadonlySet<LayerConfig['type']> = new Set(['Residual', 'TransformerBlock', 'TokenEmbedding']);

/** PyTorch appends each loss of the last stage to a list and takes the loss of micro-batch i from its i-th place. */
function orderNotices(config: Config): readonly Notice[] {
  const { orders, stages } = scheduleOf(config);
  const forwards = orders
    .flatMap(actionsOf)
    .filter(({ stage, kind }) => stage === stages - 1 && kind === 'F')
    .map(({ microBatch }) => microBatch);
  if (forwards.every((microBatch, place) => microBatch === place)) return [];
  return [
    {
      level: 'warning',
      id: 'losses-out-of-order',
      text: `The last stage runs its forward passes in the order of micro-batches ${forwards.join(', ')}. PyTorch keeps their losses in this order and looks the loss of a micro-batch up by its number: it starts a backward pass from another micro-batch’s loss, or stops with “Loss for microbatch … is not available”. This run takes the right losses.`,
      hint: 'Let the last stage run the micro-batches in the order 0, 1, 2, ….',
    },
  ];
}

/** Layers that the script computes whole, although the run cuts them. */
function borderNotices(config: Config): readonly Notice[] {
  const { tp } = meshSizes(config);
  const pairs = bordersIn(config);
  if (pairs.length === 0) return [];
  const layers = pairs.map((pair) => pair.join(' and ')).join(', ');
  return [
    {
      level: 'info',
      id: 'whole-at-border',
      text: `The PyTorch script computes modules ${layers} whole on every rank, because a stage of PyTorch cannot hand on parts of different widths. The script has the same losses, but it sends and keeps more than this run.`,
      hint: `Choose a width that ${tp} divides, or change pipeline.split.`,
    },
  ];
}

function bordersIn(config: Config): ReturnType<typeof unevenBorders> {
  const { tp } = meshSizes(config);
  if (tp === 1) return [];
  return unevenBorders(listedModules(config), tp, stageOfModule(config.model.layers, layerRanges(config)));
}

function gradientNotices({ pipeline: { scaleGrads, microBatches }, loss }: Config): readonly Notice[] {
  if (microBatches === 1) return [];
  if (scaleGrads && loss.reduction === 'sum')
    return [
      {
        level: 'warning',
        id: 'sum-loss',
        text: `scale_grads divides the gradients by the ${microBatches} micro-batches, so a summed loss gives 1/${microBatches} of the single-device gradient.`,
        hint: 'Use reduction "mean", or set pipeline.scaleGrads to false.',
      },
    ];
  if (!scaleGrads && loss.reduction !== 'sum')
    return [
      {
        level: 'warning',
        id: 'unscaled-gradients',
        text: `Without scale_grads the gradients are the sum over the micro-batches: ${microBatches} times those of the whole batch.`,
        hint: `Set pipeline.scaleGrads to true, or divide the learning rate by ${microBatches}.`,
      },
    ];
  return [];
}
