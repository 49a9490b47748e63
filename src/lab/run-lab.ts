/**
 * The collectives lab: runs a single collective on typed arrays, records it round by round, and adds the modelled time
 * on the given links and the algorithm's closed form. It is independent of any open run. Called by session.ts, tested
 * against the definition of each collective.
 */
import { at, must } from '../base/invariant';
import { spreadOverNodes } from '../mesh/nodes';
import type { Program, Recv, Send } from '../program/instruction';
import {
  LAB_TILE_VALUES,
  type LabBuffer,
  type LabRequest,
  type LabResult,
  type LabRound,
  type LabState,
  type LabTransfer,
} from '../protocol/lab';
import { simulate } from '../simulator/simulate';
import { elements } from '../tensor/shape';
import { checkResults } from './lab-check';
import { labHardware } from './lab-hardware';
import { labInputs } from './lab-inputs';
import { checkRequest, costRequest, INPUT, knownAlgorithms, labLength, labProgram, OUTPUT } from './lab-program';
import { LabRanks } from './lab-ranks';
import { messageRounds } from './lab-rounds';

export function runLab(request: LabRequest): LabResult {
  checkRequest(request);
  const { op, worldSize, root, nodes } = request;
  const { program, algorithm } = labProgram(request);
  const inputs = labInputs(request);
  const rounds = messageRounds(program);
  const ofRoot = op === 'scatter' || op === 'broadcast';
  const ranks = new LabRanks(
    program,
    inputs.map((input, rank) => (ofRoot && rank !== root ? undefined : input)),
  );
  const buffers = buffersOf(program);
  const state = (): LabState => stateOf(ranks, buffers, worldSize);
  const initial = state();
  const transfers = transfersOf(program, request);
  ranks.forward();
  const count = 1 + Math.max(-1, ...rounds.values());
  const recorded = Array.from({ length: count }, (_, round): LabRound => {
    ranks.play(round, rounds);
    const own = transfers.filter(({ tag }) => rounds.get(tag) === round);
    return { transfers: own.map(({ transfer }) => transfer), state: state() };
  });
  ranks.finish();
  const result = buffers.some(({ role }) => role === 'output') ? OUTPUT : INPUT;
  const cost = algorithm.cost(costRequest(request));
  const closedUs = algorithm.timeUs(costRequest(request), request.link, request.across);
  return {
    request,
    algorithm: algorithm.name,
    known: knownAlgorithms(op),
    length: labLength(request),
    nodeOf: spreadOverNodes(worldSize, nodes),
    buffers,
    initial,
    rounds: recorded,
    bytesSent: Array.from({ length: worldSize }, (_, rank) =>
      transfers.reduce((sum, { transfer }) => sum + (transfer.from === rank ? transfer.bytes : 0), 0),
    ),
    formula: {
      ...cost.formula,
      bytesSent: cost.bytesSent,
      rounds: cost.rounds,
      time: request.startUs > 0 ? `start + ${cost.formula.time}` : cost.formula.time,
      // If nothing has to be sent, there is no start time.
      timeUs: closedUs === 0 ? 0 : request.startUs + closedUs,
    },
    modelledUs: transfers.reduce((latest, { transfer }) => Math.max(latest, transfer.endUs), 0),
    check: checkResults(
      request,
      inputs,
      inputs.map((_, rank) => ranks.held(rank, result).values),
    ),
  };
}

/** The buffers in reading order, divided at the ends of every message. */
function buffersOf(program: Program): readonly LabBuffer[] {
  const specs = new Map(program.lanes.flatMap(({ buffers }) => buffers.map((spec) => [spec.name, spec] as const)));
  const slices = program.lanes.flatMap(({ instructions }) =>
    instructions.flatMap((i) => (i.kind === 'send' || i.kind === 'recv' ? [i.slice] : [])),
  );
  const rank = (name: string) => (name === INPUT ? 0 : name === OUTPUT ? 2 : 1);
  return [...specs.values()]
    .sort((a, b) => rank(a.name) - rank(b.name))
    .map(({ name, shape }): LabBuffer => {
      const length = elements(shape);
      const own = slices.filter(({ buffer }) => buffer === name);
      const cuts = [...new Set([0, ...own.flatMap((s) => [s.offset, s.offset + s.length]), length])].sort(
        (a, b) => a - b,
      );
      const chunks = cuts.slice(1).map((end, k) => ({ offset: at(cuts, k), length: end - at(cuts, k) }));
      const inPlace = name === INPUT && !specs.has(OUTPUT);
      const role = inPlace ? 'inPlace' : name === INPUT ? 'input' : name === OUTPUT ? 'output' : 'scratch';
      return { name, role, length, chunks };
    });
}

function stateOf(ranks: LabRanks, buffers: readonly LabBuffer[], worldSize: number): LabState {
  return buffers.map(({ name, chunks }) =>
    Array.from({ length: worldSize }, (_, rank) => {
      const held = at(ranks.ranks, rank).buffers.get(name);
      return chunks.map(({ offset, length }) => ({
        contributors: held?.from[offset] ?? 0,
        values: held ? [...held.values.subarray(offset, offset + Math.min(length, LAB_TILE_VALUES))] : [],
      }));
    }),
  );
}

/** Every message with its modelled time, from the send's start to the receive's end. */
function transfersOf(
  program: Program,
  request: LabRequest,
): readonly { readonly tag: string; readonly transfer: LabTransfer }[] {
  const times = simulate(program, labHardware(request));
  const received = new Map<string, { readonly rank: number; readonly recv: Recv }>();
  for (const { rank, instructions } of program.lanes)
    for (const i of instructions) if (i.kind === 'recv') received.set(i.tag, { rank, recv: i });
  const all = program.lanes.flatMap(({ rank, instructions }) =>
    instructions.flatMap((i) => (i.kind === 'send' ? [{ rank, send: i as Send }] : [])),
  );
  return all.map(({ rank, send }) => {
    const to = must(received.get(send.tag), send.tag);
    const sent = must(times.get(send.id), 'a time');
    const arrived = must(times.get(to.recv.id), 'a time');
    return {
      tag: send.tag,
      transfer: {
        from: rank,
        to: to.rank,
        source: send.slice,
        target: to.recv.slice,
        bytes: send.bytes,
        apply: to.recv.apply,
        part: send.collective?.part,
        startUs: sent.startUs + (sent.startingUs ?? 0),
        sentUs: sent.startUs + sent.durUs,
        endUs: arrived.startUs + arrived.durUs,
      },
    };
  });
}
