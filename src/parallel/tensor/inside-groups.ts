/**
 * What axis tp adds to a closed form: the bytes that the ranks of a tensor group send to each other, for every
 * collective of their graphs, from its algorithm and shapes, and once per step for gradients that are addends on these
 * ranks. Called by the closed forms of the modes tensor, sharded and pipeline.
 */
import { at, must } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import type { CostRequest } from '../../collectives/collective';
import type { Graph, GraphPhase } from '../../graph/graph';
import type { DeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm, LayerForm } from '../../protocol/closed-form';
import type { AlgorithmName, CollectiveOp } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import type { Axis } from '../../protocol/mesh';
import type { DeviceIndex } from '../../protocol/trace';
import { tensorBytes } from '../../tensor/shape';
import { closedForm } from '../closed-form';
import { byDevice } from '../over-axes';
import type { StageGraph } from '../stage-graph';
import { bytesBrought, collectiveOf } from '../step/graph-collectives';

/** The devices that compute the layers of a stage together, or all devices if the run has no stages. */
export interface CutStage {
  readonly devices: readonly DeviceIndex[];
  graphOf(device: DeviceIndex): StageGraph;
}

/** `sumsPartials`: this pass sums the gradients that are addends. */
export function formInside(
  { ddp: { algorithm } }: Pick<Config, 'ddp'>,
  mesh: DeviceMesh,
  stages: readonly CutStage[],
  sumsPartials: boolean,
): ClosedForm {
  const sent = byDevice(mesh.devices.length);
  const ofStages = stages.map(({ devices, graphOf }) => {
    const inside = devices.map((device): SentInside => {
      const [graph, rank] = [graphOf(device), { mesh, algorithm, device }];
      const own = sentInside(graph, rank);
      sent.add(device, own.bytes + (sumsPartials ? sentForPartials(graph, rank) : 0));
      return own;
    });
    return { first: at(inside, 0), layers: layersOf(inside, graphOf(at(devices, 0)).graph) };
  });
  const { length } = at(ofStages, 0).first.collectives;
  const text =
    stages.length > 1
      ? 'the collectives of its stages'
      : `${length} ${length === 1 ? 'collective' : 'collectives'} of activations and their gradients`;
  const layers = ofStages.flatMap((stage) => stage.layers);
  return closedForm(sent.bytes, `inside each tensor group ${text}`, { layers });
}

interface RankOfGroup {
  readonly mesh: DeviceMesh;
  readonly algorithm: AlgorithmName;
  readonly device: DeviceIndex;
}

interface SentInside {
  readonly bytes: number;
  readonly collectives: readonly SentBy[];
}

interface SentBy {
  readonly op: CollectiveOp;
  readonly module: string;
  readonly phase: GraphPhase;
  /** Bytes of the tensor that the collective takes. */
  readonly size: number;
  /** Bytes that the rank sends. */
  readonly bytes: number;
}

/** The bytes of one forward and backward pass. */
function sentInside({ graph }: StageGraph, rank: RankOfGroup): SentInside {
  const collectives = graph.nodes.flatMap((node): readonly SentBy[] => {
    const op = collectiveOf(node);
    if (op === undefined) return [];
    const size = bytesBrought(graph, node, rank.mesh.shape.tp);
    const { half } = at(graph.values, at(node.inputs, 0));
    const { module, phase } = node;
    return [{ op, module, phase, size, bytes: sentBy(rank, { op, bytes: size, halves: half }, 'tp') }];
  });
  return { bytes: collectives.reduce((sum, { bytes }) => sum + bytes, 0), collectives };
}

/**
 * Sums all ranks' bytes layer by layer, in the order of the model, then the loss. The words describe the first rank.
 */
function layersOf(ranks: readonly SentInside[], { nodes }: Graph): readonly LayerForm[] {
  const first = at(ranks, 0).collectives;
  const sending = new Set(first.map(({ module }) => module));
  const modules = [...new Set([...nodes.map(({ module }) => module).filter((module) => module !== ''), ''])];
  return modules
    .filter((module) => sending.has(module))
    .map((module) => {
      const own = (all: readonly SentBy[]) => all.filter((sent) => sent.module === module);
      const bytes = ranks.flatMap(({ collectives }) => own(collectives)).reduce((sum, sent) => sum + sent.bytes, 0);
      return { module, bytes, text: wordsOf(own(first)) };
    });
}

/** 'all-reduce' of 'allReduce'. */
const hyphened = (op: CollectiveOp): string => op.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A call that occurs in both passes is named once. */
function wordsOf(sent: readonly SentBy[]): string {
  const calls = new Map<string, GraphPhase[]>();
  for (const { op, size, phase } of sent) {
    const call = `${hyphened(op)} of ${size} B`;
    calls.set(call, [...(calls.get(call) ?? []), phase]);
  }
  return [...calls].map(([call, phases]) => `${call} in ${phases.join(' and ')}`).join(', ');
}

/** The all-reduces of torch's Partial gradients before the optimiser. */
function sentForPartials({ graph, parameters }: StageGraph, rank: RankOfGroup): number {
  const types = new Map(graph.values.map(({ name, type }) => [name, type]));
  return parameters
    .flatMap(({ fresh, sumAlong = [] }) =>
      sumAlong.map((axis) =>
        sentBy(rank, { op: 'allReduce', bytes: tensorBytes(must(types.get(fresh), fresh)) }, axis),
      ),
    )
    .reduce((a, b) => a + b, 0);
}

type Call = Pick<CostRequest, 'op' | 'bytes' | 'halves'>;

function sentBy({ mesh, algorithm, device }: RankOfGroup, call: Call, axis: Axis): number {
  const rank = at(mesh.rankOfDevice, device);
  const { ranks } = mesh.group(axis, rank);
  const { bytesSent } = algorithmFor(algorithm, call.op).cost({ ...call, worldSize: ranks.length });
  return at(bytesSent, ranks.indexOf(rank));
}
