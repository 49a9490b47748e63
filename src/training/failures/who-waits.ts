/**
 * Who lets whom wait, from the instructions that the devices of a process group are at: back along the chain of those
 * who wait, to the rank that lets all of them wait. Pure. Called by failure-words.ts when a group has failed and by
 * standstill.ts while it stands still.
 */
import type { Instruction, Program } from '../../program/instruction';
import { findProgram } from '../../program/program-of';
import type { DeviceIndex, Rank } from '../../protocol/trace';
import type { StandsAt } from '../../runtime/launch/world';

export interface RankPlace {
  readonly rank: Rank;
  /** What it is at, or waits in. */
  readonly instruction: Instruction;
  /** Whose message it waits for. */
  readonly peer: DeviceIndex | undefined;
}

/**
 * The instruction that tells most of a device: the one it was stopped at, the message that it waits for, else what it
 * computes.
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
  /** Of every device that says where it is. */
  readonly places: readonly RankPlace[];
  /** Whom all others wait for, directly or behind one another. */
  readonly culprit: Rank | undefined;
  /** The rank that a place waits for; undefined: it does not wait. */
  waitsFor(place: RankPlace): Rank | undefined;
  /** The place that tells most of a rank. */
  placeOfRank(rank: Rank | undefined): RankPlace | undefined;
}

export interface Suspect {
  readonly programs: readonly Program[];
  readonly processOfDevice: readonly Rank[];
  readonly positions: readonly StandsAt[];
  /** Who was made to stop, and before which instruction. */
  readonly stopped?: { readonly rank: Rank; readonly instruction: number } | undefined;
  /** Where to begin to look for the culprit. */
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
