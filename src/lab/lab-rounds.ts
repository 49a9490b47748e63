/**
 * The round of each message: the round that the algorithm assigns. Without one, the earliest round in which the sender
 * has received everything that precedes the message in its queue and both ports are free. Pure; run-lab.ts executes
 * round by round.
 */
import { must } from '../base/invariant';
import type { Lane, Program } from '../program/instruction';

type Rounds = ReadonlyMap<string, number>;

/** The round of every message by its tag, from 0. */
export function messageRounds(program: Program): Rounds {
  const sends = program.lanes.flatMap(({ instructions }) =>
    instructions.flatMap((i) => (i.kind === 'send' ? [{ tag: i.tag, round: i.collective?.round }] : [])),
  );
  const told = sends.flatMap(({ tag, round }) => (round === undefined ? [] : [[tag, round] as const]));
  if (told.length < sends.length) return earliest(program);
  // Rounds in which nothing is sent (empty chunks) do not count.
  const used = [...new Set(told.map(([, round]) => round))].sort((a, b) => a - b);
  return new Map(told.map(([tag, round]) => [tag, used.indexOf(round)]));
}

function earliest(program: Program): Rounds {
  const rounds = new Map<string, number>();
  for (const { instructions } of program.lanes)
    for (const i of instructions) if (i.kind === 'send') rounds.set(i.tag, 0);
  const most = rounds.size;
  let changed = true;
  while (changed) {
    changed = false;
    for (const lane of program.lanes) if (delay(lane, rounds)) changed = true;
    // If messages are received in another order than they were sent, no such rounds exist.
    if (Math.max(0, ...rounds.values()) > most) return oneByOne(program);
  }
  return rounds;
}

/** Moves messages of a lane to rounds after those of the messages that they wait for in the queue. */
function delay(lane: Lane, rounds: Map<string, number>): boolean {
  let changed = false;
  let received = -1;
  let sent = -1;
  const atLeast = (tag: string, round: number): number => {
    const old = must(rounds.get(tag), tag);
    if (old >= round) return old;
    rounds.set(tag, round);
    changed = true;
    return round;
  };
  for (const i of lane.instructions) {
    if (i.kind === 'send') sent = atLeast(i.tag, 1 + Math.max(sent, received));
    if (i.kind === 'recv') received = atLeast(i.tag, 1 + received);
  }
  return changed;
}

function oneByOne(program: Program): Rounds {
  const received = program.lanes.flatMap((lane) =>
    lane.instructions.flatMap((i) => (i.kind === 'recv' ? [{ id: i.id, tag: i.tag }] : [])),
  );
  return new Map(received.sort((a, b) => a.id - b.id).map(({ tag }, round) => [tag, round]));
}
