/**
 * Merges turns if a step has too many to walk one by one: a step has at most some 60 moments. First the messages of a
 * turn join it; if that is not enough, several successive turns form one window. Steps with fewer moments keep one
 * moment for each turn and one for its messages. Pure; called by moments/group-events.ts.
 */
import type { TraceEvent } from '../../protocol/trace';
import type { Turn } from './pipeline-turns';

/** A reader would not walk through more. */
export const MOST_MOMENTS = 60;

/** Spare moments, because the estimate may be too low. */
const SPARE = 3;

/**
 * Number of turns per window so that the step has at most MOST_MOMENTS; 0: no windows, turns and their messages have
 * separate moments. `others`: moments outside turns. An estimate, because sorting may split moments.
 */
export function windowSize(
  events: readonly TraceEvent[],
  turns: readonly (Turn | undefined)[],
  others: number,
): number {
  const count = turns.reduce((most, turn) => Math.max(most, turn ? turn.index + 1 : 0), 0);
  const sending = new Set(events.flatMap(({ kind }, i) => (kind === 'send' ? (turns[i]?.index ?? []) : [])));
  const room = Math.max(1, MOST_MOMENTS - others - SPARE);
  return count + sending.size <= room ? 0 : Math.ceil(count / room);
}

export interface WindowInput {
  readonly turns: readonly (Turn | undefined)[];
  /** By event, the events that it comes after. */
  readonly after: readonly (readonly number[])[];
  /** Turns per window, from windowSize(). */
  readonly size: number;
}

export function windowed({ turns, after, size }: WindowInput): readonly (Turn | undefined)[] {
  if (size === 0) return turns;
  const levels = levelsOf(turns, after);
  const made = new Map<number, Turn>();
  return turns.map((turn, i) => {
    if (!turn) return undefined;
    const level = levels[i] ?? turn.index;
    const first = level - (level % size);
    const found = made.get(first);
    if (found) return found;
    const window = { index: first, stretch: turn.stretch, turns: size, withMessages: true };
    made.set(first, window);
    return window;
  });
}

/**
 * By event, the turn in which it is walked: no earlier than any event that it comes after. A message may wait in its
 * queue behind a message of a later turn; by their own turns alone, each would have to come before the other.
 */
function levelsOf(turns: WindowInput['turns'], after: WindowInput['after']): readonly number[] {
  const levels: number[] = [];
  after.forEach((before, i) => {
    levels.push(before.reduce((most, other) => Math.max(most, levels[other] ?? 0), turns[i]?.index ?? 0));
  });
  return levels;
}
