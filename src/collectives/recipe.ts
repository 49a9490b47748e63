/**
 * The form of the algorithms' files: one recipe per collective lists the hops of each round and their cost; `algorithm`
 * turns a set of recipes into an Algorithm, which checks the call, pre-divides for avg and writes the rounds into the
 * Program.
 */
import { at, must } from '../base/invariant';
import { placesByNode } from '../mesh/nodes';
import type { AlgorithmName, CollectiveOp, Link } from '../protocol/collective';
import type { CollectiveRef, Rank } from '../protocol/trace';
import { applyOf, checkCall } from './check-call';
import type { Algorithm, CollectiveCall, CollectiveCost, CostRequest, NumberedCall } from './collective';
import { type Join, sumOfHalves } from './halves/sum-of-halves';
import type { Round } from './hop';
import { dtypeOf, scaleInput } from './local-steps';

export interface Recipe {
  /** Declares further buffers, copies within a device, and calls `run` once with its rounds. */
  emit(call: NumberedCall, run: (rounds: readonly Round[]) => void): void;
  cost(request: CostRequest): CollectiveCost;
  timeUs(request: CostRequest, link: Link, across: Link): number;
}

export type Recipes = Readonly<Partial<Record<CollectiveOp, Recipe>>>;

export function algorithm(name: AlgorithmName, recipes: Recipes): Algorithm {
  const recipe = (op: CollectiveOp): Recipe => must(recipes[op], `${op} of ${name}`);
  return {
    name,
    ops: Object.keys(recipes) as CollectiveOp[],
    emit(given) {
      const nodes = given.nodes ?? nodesOf(given);
      const seq = given.builder.nextSeq(given.group);
      const call = { ...given, seq, root: rootOf(given), ...(nodes ? { nodes } : {}) };
      checkCall(call);
      if (call.length === 0 && call.op !== 'barrier') return;
      if (call.reduceOp === 'avg' && call.op !== 'reduceScatter') scaleInput(call, call.input);
      recipe(call.op).emit(call, (rounds) => {
        const join = call.halves ? sumOfHalves(call, call.halves, rounds) : undefined;
        const tensor = call.op === 'barrier' ? undefined : { length: call.length, dtype: dtypeOf(call) };
        rounds.forEach((hops, round) => {
          emitRound(name, call, hops, { round, rounds: rounds.length, join, tensor });
        });
      });
    },
    cost(given) {
      const request = { ...given, root: rootOf(given) };
      const cost = recipe(request.op).cost(request);
      return request.worldSize === 1 ? { ...cost, rounds: 0, bytesSent: [0] } : cost;
    },
    timeUs(given, link, across = link) {
      const request = { ...given, root: rootOf(given) };
      const nothing = request.worldSize === 1 || (request.bytes === 0 && request.op !== 'barrier');
      return nothing ? 0 : recipe(request.op).timeUs(request, link, across);
    },
  };
}

/** The nodes of the builder's mesh; undefined if all ranks are on one node. */
function nodesOf({ group, builder }: CollectiveCall): CollectiveCall['nodes'] {
  const nodes = placesByNode(group.ranks, (rank) => at(builder.mesh.nodeOf, builder.deviceOf(rank)));
  return nodes.length > 1 ? nodes : undefined;
}

const ROOTED: readonly CollectiveOp[] = ['broadcast', 'reduce', 'scatter', 'gather'];
/** If the collective has no root but the algorithm needs one, rank 0. */
const rootOf = ({ op, root = 0 }: Pick<CostRequest, 'op' | 'root'>): Rank => (ROOTED.includes(op) ? root : 0);

interface Place {
  readonly round: number;
  readonly rounds: number;
  /** How hops combine elements, if a receive alone cannot. */
  readonly join: Join | undefined;
  readonly tensor: CollectiveRef['tensor'];
}

function emitRound(name: AlgorithmName, call: NumberedCall, hops: Round, { round, rounds, join, tensor }: Place): void {
  const { builder, group, op, where, payload } = call;
  const device = (rank: Rank) => builder.deviceOf(at(group.ranks, rank));
  builder.exchange(
    hops.flatMap(({ from, to, source, target = source, joins = false, chunk, chunks, summed }) => {
      if (source.length === 0) return [];
      const collective: CollectiveRef = {
        seq: call.seq,
        op,
        algorithm: name,
        round,
        rounds,
        ...(op === 'allReduce' ? { part: joins ? 'reduce-scatter' : 'all-gather' } : {}),
        ...(chunk === undefined ? {} : { chunk }),
        ...(chunks === undefined ? {} : { chunks }),
        ...(summed === undefined ? {} : { summed }),
        ...(tensor === undefined ? {} : { tensor }),
        ...(group.id === builder.mesh.world.id ? {} : { group }),
        ...(call.reduceOp === undefined || call.reduceOp === 'sum' ? {} : { reduceOp: call.reduceOp }),
        ...(call.bucket === undefined ? {} : { bucket: call.bucket }),
      };
      const beside = joins ? join : undefined;
      return [
        {
          from: { device: device(from), slice: source, where },
          to: { device: device(to), slice: beside?.into(target) ?? target, where },
          received: beside?.add(target),
          what: {
            name: `${source.buffer}.${op}${round}${chunk === undefined ? '' : `.c${chunk}`}`,
            payload,
            apply: joins && !beside ? applyOf(call) : ('put' as const),
            collective,
          },
        },
      ];
    }),
  );
}

/** Runs several independent sets of rounds at the same time. */
export function together(...sets: readonly (readonly Round[])[]): readonly Round[] {
  const length = Math.max(0, ...sets.map((rounds) => rounds.length));
  return Array.from({ length }, (_, k) => sets.flatMap((rounds) => rounds[k] ?? []));
}
