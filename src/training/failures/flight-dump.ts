/**
 * Dumps of PyTorch's flight recorder for a training run, one per rank, with its field names: the collectives of the
 * Programs that ran, in the order in which each rank issues them, with their state. Times are measured in traced steps;
 * in other steps, the time is when the step was known to be done. Called by the session when asked.
 */

import { LockstepError } from '../../base/errors';
import { flightDumpOf, type RecordedGroup, scheduledRecord } from '../../distributed/flight-record';
import type { Instruction, Lane, Program } from '../../program/instruction';
import { findProgram } from '../../program/program-of';
import { type Group, groupDescription } from '../../protocol/mesh';
import { stepWords } from '../../protocol/micro-batches';
import type { FlightRecord, FlightRecorderDump } from '../../protocol/process-group';
import { programKey } from '../../protocol/step-kind';
import type { CodeLine } from '../../protocol/trace';
import type { Blueprint } from '../blueprint';
import { scriptLine, torchName } from './failure-words';
import type { FlightLog, FlightSpan } from './flight-log';
import { type FlightTensors, flightTensors } from './flight-tensors';

/** Most entries per rank; the oldest are dropped. */
const KEPT = 1000;

/** One collective as one rank takes part in it. */
interface Call extends FlightTensors {
  /** Absent: the default group. */
  readonly group: Group | undefined;
  readonly name: string;
  readonly instructions: readonly Instruction[];
  readonly line: number | undefined;
}

function callsOf(lane: Lane, script: readonly CodeLine[]): readonly Call[] {
  const calls = new Map<string, Instruction[]>();
  for (const i of lane.instructions) {
    if ((i.kind !== 'send' && i.kind !== 'recv') || !i.collective) continue;
    const { seq, op, group } = i.collective;
    const key = `${group?.id ?? ''} ${seq} ${op} ${i.anchor}`;
    calls.set(key, [...(calls.get(key) ?? []), i]);
  }
  return [...calls.values()].flatMap((instructions) => {
    const [first] = instructions;
    if (!first || !('collective' in first) || !first.collective) return [];
    const name = torchName(first.collective.op);
    const { group } = first.collective;
    return [{ group, name, ...flightTensors(instructions, lane), instructions, line: scriptLine(first, script) }];
  });
}

interface Outcome {
  readonly state: FlightRecord['state'];
  readonly startedNs: number | null;
  readonly completedNs: number | null;
  readonly durationMs: number | null;
}

/** The state of a call in a micro-batch of a span. */
function outcomeOf(span: FlightSpan, microBatch: number, call: Call, lane: Lane): Outcome {
  const { completedNs, records, positions } = span;
  if (records) {
    const own = new Set(call.instructions.map((i) => i.id));
    const times = records.filter((r) => own.has(r.id));
    const startUs = Math.min(...times.map((r) => r.startUs));
    const endUs = Math.max(...times.map((r) => r.startUs + r.durUs));
    if (times.length > 0)
      return {
        state: 'completed',
        startedNs: Math.round(startUs * 1000),
        completedNs: Math.round(endUs * 1000),
        durationMs: (endUs - startUs) / 1000,
      };
  }
  if (completedNs !== undefined) return { state: 'completed', startedNs: completedNs, completedNs, durationMs: null };
  const stands = positions?.find((p) => p.device === lane.device);
  const nothing = { startedNs: null, completedNs: null, durationMs: null };
  // Another rank of the group has reached a later micro-batch, so this one is done.
  const newest = Math.max(-1, ...(positions ?? []).map((p) => p.microBatch ?? -1));
  const stood = stands?.microBatch;
  if (!stands || stood === undefined) return { state: microBatch < newest ? 'completed' : 'scheduled', ...nothing };
  if (microBatch !== stood) return { state: microBatch < stood ? 'completed' : 'scheduled', ...nothing };
  const before = (i: Instruction): boolean => {
    const next = stands[i.queue];
    return next === undefined || lane.instructions.findIndex((o) => o.id === next) > lane.instructions.indexOf(i);
  };
  const done = call.instructions.filter(before).length;
  const heads = [stands.compute, stands.comm];
  const isThere = call.instructions.some((i) => heads.includes(i.id));
  return {
    state: done === call.instructions.length ? 'completed' : done > 0 || isThere ? 'started' : 'scheduled',
    ...nothing,
  };
}

export function flightDump(log: FlightLog, blueprint: Blueprint): readonly FlightRecorderDump[] {
  const { config, programs, rankOfDevice, mode } = blueprint;
  const ranks = [...new Set(rankOfDevice)];
  if (ranks.length === 1 && !mode.face.processPerDevice) {
    throw new LockstepError(
      'config',
      'This run is one process without a process group, so there are no collectives to record.',
      'Choose mode "ddp".',
    );
  }
  const script = mode.listing.now()?.(config) ?? [];
  const groupIds = groupIdsOf(programs);
  return ranks.map((rank) => {
    const entries: FlightRecord[] = [];
    const calls = new Map(
      programs.flatMap((p) => {
        const lane = p.lanes.find((l) => l.rank === rank);
        return lane ? [[programKey(p.kind), callsOf(lane, script)] as const] : [];
      }),
    );
    const groups = new Map<number, RecordedGroup>();
    for (const span of log.spans) {
      for (const { microBatch, program } of span.batches) {
        const lane = findProgram(programs, program)?.lanes.find((l) => l.rank === rank);
        for (const call of lane ? (calls.get(program) ?? []) : []) {
          const itsMicroBatch = microBatch + (call.instructions[0]?.microBatch ?? 0);
          const id = span.attempt * groupIds.length + groupIds.indexOf(call.group?.id ?? 0);
          const group = groups.get(id) ?? recordedGroup(span.attempt, call.group ?? { id: 0, ranks });
          groups.set(id, group);
          const seq = ++group.enqueued;
          const outcome = lane && outcomeOf(span, microBatch, call, lane);
          if (!outcome) continue;
          const { state } = outcome;
          if (state !== 'scheduled') group.started = seq;
          if (state === 'completed') group.completed = seq;
          const frame = { name: stepWords(itsMicroBatch, config), filename: 'train.py', line: (call.line ?? 0) + 1 };
          const record = scheduledRecord({
            recordId: entries.length,
            opId: seq,
            group: { id, name: String(id), description: group.description },
            profilingName: `${config.placement === 'shared' ? 'nccl' : 'gloo'}:${call.name}`,
            collectiveSeq: seq,
            p2pSeq: 0,
            isP2p: false,
            createdNs: span.createdNs,
            inputs: call.inputs,
            outputs: call.outputs,
            timeoutMs: 1000 * config.timeoutS,
            frames: call.line === undefined ? [] : [frame],
          });
          entries.push({
            ...record,
            time_discovered_started_ns: outcome.startedNs,
            time_discovered_completed_ns: outcome.completedNs,
            duration_ms: outcome.durationMs,
            state,
            retired: state === 'completed',
          });
        }
      }
    }
    return flightDumpOf(rank, groups, entries.slice(-KEPT));
  });
}

/** A restart makes new groups. Sequence numbers count from 1; -1: none yet. */
function recordedGroup(attempt: number, group: Group): RecordedGroup {
  const name = groupDescription(group);
  const description = attempt === 0 ? name : `${name}, restart ${attempt}`;
  return { description, ranks: group.ranks, enqueued: 0, started: -1, completed: -1 };
}

/** The default group first. */
function groupIdsOf(programs: readonly Program[]): readonly number[] {
  const ids = programs.flatMap(({ lanes }) =>
    lanes.flatMap(({ instructions }) =>
      instructions.flatMap((i) => ('collective' in i && i.collective?.group ? [i.collective.group.id] : [])),
    ),
  );
  return [...new Set([0, ...ids])].sort((a, b) => a - b);
}
