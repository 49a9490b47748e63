/**
 * Turns put together where a step has too many of them to be walked one by one: a step has at most some 60 moments. The
 * messages of a turn join it first; where that is not enough, several turns that follow each other are one window. Steps
 * with fewer moments keep a moment for each turn and one for its messages. Pure; called by trace/moments.
 */
import type { TraceEvent } from '../../protocol/trace';
import type { Turn } from './turns';

/** Nobody walks through more. */
export const MOST_MOMENTS = 60;

/** Room for groups that have to be taken apart, because one would be both before and after another. */
const SPARE = 3;

/** `others`: moments of the step that are of no turn. */
export function windowed(
  events: readonly TraceEvent[],
  turns: readonly (Turn | undefined)[],
  others: number,
): readonly (Turn | undefined)[] {
  const count = turns.reduce((most, turn) => Math.max(most, turn ? turn.index + 1 : 0), 0);
  const sending = new Set(events.flatMap(({ kind }, i) => (kind === 'send' ? (turns[i]?.index ?? []) : [])));
  const room = Math.max(1, MOST_MOMENTS - others - SPARE);
  if (count + sending.size <= room) return turns;
  const size = Math.ceil(count / room);
  const made = new Map<number, Turn>();
  return turns.map((turn) => {
    if (!turn) return undefined;
    const first = turn.index - (turn.index % size);
    const found = made.get(first);
    if (found) return found;
    const window = { index: first, stretch: turn.stretch, turns: size, withMessages: true };
    made.set(first, window);
    return window;
  });
}
