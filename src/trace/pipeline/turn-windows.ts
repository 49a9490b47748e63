/**
 * Turns put together where a step has too many of them to be walked one by one: a step has at most some 60 moments.
 * The messages of a turn join it first; where that is not enough, several turns that follow each other are one window.
 * Steps with fewer moments keep a moment for each turn and one for its messages. Pure; called by
 * moments/group-events.ts.
 */
import type { TraceEvent } from '../../protocol/trace';
import type { Turn } from './turns';

/** A reader walks through no more. */
export const MOST_MOMENTS = 60;

/** Moments that are left over for what the estimate does not see. */
const SPARE = 3;

/**
 * How many turns a window needs so that the step has at most MOST_MOMENTS; 0: none, turns and their messages have
 * moments of their own. `others`: moments that are of no turn. An estimate: sorting may take moments apart.
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
  /** By event, those that it comes after. */
  readonly after: readonly (readonly number[])[];
  /** As windowSize() counts. */
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
 * By event the turn that it is walked in: no earlier than anything that it comes after. A message may wait in its queue
 * behind one of a later turn; alone by their turns the two would each have to come first.
 */
function levelsOf(turns: WindowInput['turns'], after: WindowInput['after']): readonly number[] {
  const levels: number[] = [];
  after.forEach((before, i) => {
    levels.push(before.reduce((most, other) => Math.max(most, levels[other] ?? 0), turns[i]?.index ?? 0));
  });
  return levels;
}
