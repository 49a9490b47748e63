/**
 * Turns put together where a step has too many of them to be walked one by one: a step has at most some 60 moments.
 * The messages of a turn join it first; where that is not enough, several turns that follow each other are one window.
 * Steps with fewer moments keep a moment for each turn and one for its messages. Pure; called by trace/moments.
 */
import type { TraceEvent } from '../../protocol/trace';
import type { Turn } from './turns';

/** A reader walks through no more. */
export const MOST_MOMENTS = 60;

/** Moments that are left over for what the estimate does not see. */
const SPARE = 3;

export interface WindowInput {
  readonly events: readonly TraceEvent[];
  readonly turns: readonly (Turn | undefined)[];
  /** By event, those that it comes after. */
  readonly after: readonly (readonly number[])[];
  /** Moments of the step that are of no turn. */
  readonly others: number;
}

export function windowed({ events, turns, after, others }: WindowInput): readonly (Turn | undefined)[] {
  const count = turns.reduce((most, turn) => Math.max(most, turn ? turn.index + 1 : 0), 0);
  const sending = new Set(events.flatMap(({ kind }, i) => (kind === 'send' ? (turns[i]?.index ?? []) : [])));
  const room = Math.max(1, MOST_MOMENTS - others - SPARE);
  if (count + sending.size <= room) return turns;
  const size = Math.ceil(count / room);
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
