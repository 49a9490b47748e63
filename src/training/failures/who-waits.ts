/**
 * Finds the rank that all others wait for, from the current instructions of a process group's devices, by following the
 * chain of waiting ranks. Pure. Called by failure-words.ts when a group has failed and by standstill.ts while it stands
 * still.
 */
import type { Instruction, Program } from '../../program/instruction';
import { findProgram } from '../../program/program-of';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { StandsAt } from '../../runtime/launch/world';

export interface RankPlace {
  readonly rank: Rank;
  /** The instruction that the device runs or waits in. */
  readonly instruction: Instruction;
  /** The device whose message it waits for. */
  readonly peer: DeviceIndex | undefined;
}

/**
 * The most informative instruction of a device: where it was stopped, or the message that it waits for, or its
 * computation.
 */
function placeOf(
  { device, compute, comm, program }: StandsAt,
  programs: readonly Program[],
  stop: number | undefined,
  processOfDevice: readonly Rank[],
): RankPlace | undefined {
  const lane = findProgram(programs, program)?.lanes.find((l) => l.device === device);
  if (!lane) return undefined;
  const rank = processOfDevice[device] ?? lane.rank;
  const heads = [compute, comm].flatMap((id) => lane.instructions.find((i) => i.id === id) ?? []);
  const stopped = heads.find(({ id }) => id === stop);
  if (stopped) return { rank, instruction: stopped, peer: undefined };
  const recv = heads.find((i) => i.kind === 'recv');
  if (recv?.kind === 'recv') return { rank, instruction: recv, peer: recv.peer };
  const instruction = heads.find((i) => i.kind !== 'wait');
  return instruction && { rank, instruction, peer: undefined };
}

export interface Waiting {
  /** Places of all devices that report one. */
  readonly places: readonly RankPlace[];
  /** The rank that all others wait for, directly or indirectly. */
  readonly culprit: Rank | undefined;
  /** The rank that a place waits for; undefined if it does not wait. */
  waitsFor(place: RankPlace): Rank | undefined;
  /** The most informative place of a rank. */
  placeOfRank(rank: Rank | undefined): RankPlace | undefined;
}

export interface Suspect {
  readonly programs: readonly Program[];
  readonly processOfDevice: readonly Rank[];
  readonly positions: readonly StandsAt[];
  /** The rank that was stopped on purpose, and the instruction before which it stopped. */
  readonly stopped?: { readonly rank: Rank; readonly instruction: number } | undefined;
  /** The rank from which the search for the culprit starts. */
  readonly from: Rank | undefined;
}

export function whoWaits({ programs, processOfDevice, positions, stopped, from }: Suspect): Waiting {
  const places = positions.flatMap((p) => placeOf(p, programs, stopped?.instruction, processOfDevice) ?? []);
  const waitsFor = (place: RankPlace): Rank | undefined =>
    place.peer === undefined || place.rank === stopped?.rank ? undefined : processOfDevice[place.peer];
  const placeOfRank = (wanted: Rank | undefined) => {
    const own = places.filter((place) => place.rank === wanted);
    return own.find((place) => waitsFor(place) === undefined) ?? own[0];
  };
  let culprit = from;
  for (let i = 0; i < processOfDevice.length; i++) {
    const place = placeOfRank(culprit);
    const next = place && waitsFor(place);
    if (next !== undefined) culprit = next;
  }
  return { places, culprit, waitsFor, placeOfRank };
}
