/**
 * Which layers form each stage: the user's split, or stages with about equally many floating-point operations. A stage
 * begins with a layer with weights; a layer without weights stays with the layer before it. Called by settle.ts and
 * notices.ts.
 */

import { at, must } from '../../base/invariant';
import { refusedSettings } from '../../base/refused-settings';
import { GraphBuilder } from '../../graph/graph';
import { buildForward, type LayerRange } from '../../nn/model';
import type { Config, LayerConfig } from '../../protocol/config';
import { LAYERS_WITH_WEIGHTS } from '../../protocol/config/layer-kinds';
import { halvesBackward } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { childrenOf, parameterCount } from '../../shapes/parameters';
import type { ModeInput } from '../mode-input';
import { stagesOfRank } from './face-size';

/** The configuration with its split, and with the sizes that the user's own schedule decides, written out. */
export function settleSplit(input: ModeInput, schedule: Schedule): Config {
  const { config } = input;
  const { stages, microBatches } = schedule;
  const split = config.pipeline.split ?? evenSplit(input, stages, halvesBackward(schedule));
  checkSplit(split, stages, config.model.layers.length);
  checkRanks(config, split, schedule);
  return {
    ...config,
    pipeline: { ...config.pipeline, microBatches, split: [...split] },
  };
}

/** [start, end) of the layers of each stage, for a settled configuration. */
export function layerRanges({ pipeline, model }: Config): readonly LayerRange[] {
  const split = must(pipeline.split, 'a settled split');
  let start = 0;
  const ranges = split.map((layers) => {
    start += layers;
    return { start: start - layers, end: start };
  });
  checkSplit(split, split.length, model.layers.length);
  return ranges;
}

function checkSplit(split: readonly number[], stages: number, layers: number): void {
  const sum = split.reduce((a, b) => a + b, 0);
  if (split.length === stages && sum === layers) return;
  throw refusedSettings({
    code: 'placement',
    settings: { 'pipeline.split': split },
    why: `the split makes ${split.length} stages of ${sum} layers, but the schedule has ${stages} stages and the model ${layers} layers`,
    hint: 'Give one number per stage; their sum must be the number of layers. Or leave pipeline.split out.',
    details: { stages, layers },
  });
}

/** A tied weight is a parameter of the stage's rank, too. */
const hasTied = (layer: LayerConfig): boolean =>
  (layer.type === 'Linear' && layer.tied !== undefined) || childrenOf(layer).some(([, child]) => hasTied(child));

const hasParameters = (layer: LayerConfig): boolean => parameterCount(layer) > 0 || hasTied(layer);

/** Whether a stage has no parameters. Its rank has another stage with parameters. */
export const hasBareStage = (config: Config): boolean =>
  layerRanges(config).some(({ start, end }) => !config.model.layers.slice(start, end).some(hasParameters));

/**
 * Each rank makes an optimiser for its stages, which needs at least one parameter, and with a GradScaler at least one
 * gradient: a module that is never called has none.
 */
function checkRanks(config: Config, split: readonly number[], { ranks, rankOfStage }: Schedule): void {
  const refuseUnless = (why: string, counts: (layer: LayerConfig) => boolean): void => {
    let start = 0;
    const has = Array.from({ length: ranks }, () => false);
    for (const [stage, count] of split.entries()) {
      if (config.model.layers.slice(start, start + count).some(counts)) has[at(rankOfStage, stage)] = true;
      start += count;
    }
    const rank = has.indexOf(false);
    if (rank < 0) return;
    throw refusedSettings({
      code: 'placement',
      settings: { 'pipeline.split': split },
      why: `no layer of rank ${rank} ${why}`,
      hint: 'Give every rank a layer with weights, or leave pipeline.split out.',
      details: { rank },
    });
  };
  refuseUnless('has parameters: PyTorch stops with “optimizer got an empty parameter list”', hasParameters);
  if (config.gradScaler.enabled)
    refuseUnless(
      'gets gradients: PyTorch’s GradScaler stops with “No inf checks were recorded for this optimizer.”',
      (layer) => layer.type !== 'Unused' && hasParameters(layer),
    );
}

/**
 * Whether torch refuses the last layer of a stage that computes its backward pass in halves: it detaches the stage's
 * output, and the output of Flatten is a view, which cannot be detached in place.
 */
export const endsInView = (layer: LayerConfig): boolean => layer.type === 'Flatten';

/** The number of layers in each stage, such that the largest stage has as few operations as possible. */
function evenSplit(input: ModeInput, stages: number, noViews: boolean): readonly number[] {
  const { layers } = input.config.model;
  const weighted = layers.flatMap((layer, i) => (LAYERS_WITH_WEIGHTS.has(layer.type) ? [i] : []));
  if (stages > weighted.length)
    throw refusedSettings({
      code: 'placement',
      settings: { worldSize: input.config.worldSize, 'pipeline.schedule': input.config.pipeline.schedule },
      why: `a pipeline of ${stages} stages needs as many layers with weights; the model has ${weighted.length}`,
      hint: wayToFewerStages(input.config, stages, weighted.length),
      details: { stages, layers: weighted.length },
    });
  const flops = forwardFlops(input);
  const starts = weighted.map((start, i) => (i === 0 ? 0 : start));
  const costs = starts.map((start, i) => {
    const end = starts[i + 1] ?? layers.length;
    return flops.slice(start, end).reduce((a, b) => a + b, 0);
  });
  const firsts = cutEvenly(costs, stages).map((group) => {
    let first = at(starts, group);
    while (noViews && first > 0 && endsInView(at(layers, first - 1))) first--;
    return first;
  });
  return firsts.map((first, s) => (firsts[s + 1] ?? layers.length) - first);
}

function wayToFewerStages({ pipeline: settings }: Config, stages: number, layers: number): string {
  const perRank = stagesOfRank(settings);
  const ranks = Math.floor(layers / perRank);
  const missing = stages - layers;
  const more = `add ${missing} more ${missing === 1 ? 'layer' : 'layers'} with weights, such as Linear`;
  if (ranks === 0) return `Take GPipe or 1F1B, which have one stage per rank, or ${more}.`;
  const each = perRank === 1 ? '' : `, ${perRank} stages each`;
  return `Take at most ${ranks} ${ranks === 1 ? 'rank' : 'ranks'} in a pipeline${each}, or ${more}.`;
}

/**
 * Cuts `costs` into `stretches` so that the largest sum is smallest; among such cuts takes the one with the smallest
 * sum of squares. Returns the first index of each stretch. Dynamic programming over the stretches from the end.
 */
export function cutEvenly(costs: readonly number[], stretches: number): readonly number[] {
  interface Cut {
    readonly worst: number;
    readonly squares: number;
    readonly firsts: readonly number[];
  }
  const better = (a: Cut, b: Cut | undefined): boolean =>
    b === undefined || a.worst < b.worst || (a.worst === b.worst && a.squares < b.squares);
  let best: (Cut | undefined)[] = costs.map((_, start) => {
    const sum = costs.slice(start).reduce((a, b) => a + b, 0);
    return { worst: sum, squares: sum * sum, firsts: [start] };
  });
  for (let k = 2; k <= stretches; k++) {
    const after = best;
    best = costs.map((_, start) => {
      let chosen: Cut | undefined;
      let sum = 0;
      for (let next = start + 1; next < costs.length; next++) {
        sum += at(costs, next - 1);
        const rest = after[next];
        if (!rest) continue;
        const cut = {
          worst: Math.max(sum, rest.worst),
          squares: sum * sum + rest.squares,
          firsts: [start, ...rest.firsts],
        };
        if (better(cut, chosen)) chosen = cut;
      }
      return chosen;
    });
  }
  return must(best[0], `a cut of ${costs.length} into ${stretches}`).firsts;
}

/** Floating-point operations of each layer's forward pass over two rows (batch norm needs two). */
function forwardFlops({ config, ops, inputShape, inputType }: ModeInput): readonly number[] {
  const builder = new GraphBuilder(ops);
  const x = builder.value('x', { shape: [2, ...inputShape], dtype: inputType }, 'input');
  const { nodesOfLayer } = buildForward(builder, config.model.layers, x);
  const { nodes, values } = builder.finish();
  const flops = nodes.map(({ op, inputs, outputs, attrs }) => {
    const type = (id: number) => at(values, id).type;
    return must(ops.get(op), op).flops({ inputs: inputs.map(type), outputs: outputs.map(type), attrs });
  });
  return nodesOfLayer.map(({ start, end }) => flops.slice(start, end).reduce((a, b) => a + b, 0));
}
