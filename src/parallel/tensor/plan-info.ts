/**
 * The plan of a run for the page's editor: how each module is cut, how it may be cut, and the cost of the plan, from
 * the graphs of one rank and of the whole model. Called by axes/.
 */
import { at, must } from '../../base/invariant';
import type { Graph } from '../../graph/graph';
import { modulesOf, sharedWeights } from '../../graph/partition/styles';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { Config, LayerType } from '../../protocol/config';
import type { StyleName } from '../../protocol/config/tensor';
import { replicasOf } from '../../protocol/mesh-sizes';
import type { PlanCollective, PlanInfo, PlanModule } from '../../protocol/session-info';
import { elements, tensorBytes } from '../../tensor/shape';
import type { ModeInput } from '../mode-input';
import { type StageGraph, stageGraph } from '../stage-graph';
import { bytesBrought, collectiveOf } from '../step/graph-collectives';
import { partitionOf } from '../step/partition-of';
import { vocabularyHead } from './auto-plan';
import { cutModel, entryOfModule, planIn, styleOfModule } from './plan';

/** The styles that a module of each type can have; the first choice is whole. */
const CHOICES: Readonly<Partial<Record<LayerType, readonly StyleName[]>>> = {
  Linear: ['ColwiseParallel', 'RowwiseParallel'],
  Embedding: ['ColwiseParallel', 'RowwiseParallel'],
  Conv2d: ['ColwiseParallel', 'RowwiseParallel'],
  BatchNorm2d: ['ColwiseParallel'],
  MultiheadAttention: ['ColwiseParallel'],
  LayerNorm: ['SequenceParallel'],
};

export function planInfo(input: ModeInput, mesh: DeviceMesh): PlanInfo {
  const { config } = input;
  const rows = Math.max(1, Math.floor(config.batchSize / config.accumulate / replicasOf(config)));
  const options = { rows, withLoss: true };
  const whole = stageGraph(input, options);
  const { gathered } = cutModel(input, 0);
  const own = stageGraph(input, { ...options, partition: partitionOf(planIn(config), mesh)(0) });
  return {
    modules: modulesIn(config, whole, own),
    gathersFor: [...new Set(gathered.map(({ module }) => module))],
    collectives: collectivesIn(own.graph, mesh.shape.tp),
    activation: { whole: largest(whole.graph), own: largest(own.graph) },
    parameters: { whole: parametersIn(whole), own: parametersIn(own) },
    head: vocabularyHead(config.model.layers, config.loss, mesh.shape.tp),
  };
}

function modulesIn(config: Config, whole: StageGraph, own: StageGraph): readonly PlanModule[] {
  const [styleOf, entryOf] = [styleOfModule(config), entryOfModule(config)];
  const [sizes, ownSizes] = [sizesIn(whole), sizesIn(own)];
  const modules = modulesOf(config.model.layers);
  const shared = [...sharedWeights(modules).values()];
  return modules.flatMap(({ path, layer }): readonly PlanModule[] => {
    const { style } = styleOf(path);
    const prepared = style === 'PrepareModuleInput' || style === 'PrepareModuleOutput' ? [style] : [];
    const choices = [...(CHOICES[layer.type] ?? []), ...prepared];
    if (choices.length === 0) return [];
    const names = [...sizes.keys()].filter(
      (name) => name.slice(0, name.lastIndexOf('.')) === path || isInside(name, path),
    );
    const total = (of: ReadonlyMap<string, number>) => names.reduce((sum, name) => sum + (of.get(name) ?? 0), 0);
    return [
      {
        path,
        type: layer.type,
        choices,
        style,
        entry: entryOf(path),
        sharesWith: shared.flatMap((sharing) => (sharing.includes(path) ? sharing.filter((one) => one !== path) : [])),
        parameters: { whole: total(sizes), own: total(ownSizes) },
      },
    ];
  });
}

/** The two projections of a MultiheadAttention are separate modules in the state_dict. */
const isInside = (name: string, path: string): boolean => name.startsWith(`${path}.out_proj.`);

function sizesIn({ graph, registered }: StageGraph): ReadonlyMap<string, number> {
  const names = new Set(registered.map(({ name }) => name));
  return new Map(graph.values.flatMap(({ name, type }) => (names.has(name) ? [[name, elements(type.shape)]] : [])));
}

const parametersIn = (stage: StageGraph): number => [...sizesIn(stage).values()].reduce((a, b) => a + b, 0);

const largest = ({ values }: Graph): number =>
  values
    .filter(({ role }) => role === 'activation')
    .reduce((most, { type, half }) => Math.max(most, half ? 2 * elements(type.shape) : tensorBytes(type)), 0);

function collectivesIn(graph: Graph, ranks: number): readonly PlanCollective[] {
  return graph.nodes.flatMap((node) => {
    const op = collectiveOf(node);
    if (op === undefined) return [];
    const { name } = at(graph.values, must(node.inputs[0], 'an input'));
    return [
      {
        op,
        module: node.module,
        phase: node.phase === 'backward' ? 'backward' : 'forward',
        value: name,
        bytes: bytesBrought(graph, node, ranks),
      },
    ];
  });
}
