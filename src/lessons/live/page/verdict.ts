/** Compares a guess with the run's answer, in a sentence. Pure. */
import { type Format, write } from '../../facts/write';

/** A guess with a smaller relative error counts as exact. */
const SAME = 0.02;

export function verdictOn(guess: number, answer: number, format: Format): string {
  const off = guess - answer;
  const share = Math.abs(off) / Math.max(Math.abs(answer), Number.MIN_VALUE);
  if (off === 0) return 'Exactly.';
  const amount =
    format === 'percent'
      ? `${Number((100 * Math.abs(off)).toPrecision(2))} percentage points`
      : write(Math.abs(off), format);
  const way = off > 0 ? 'too high' : 'too low';
  if (share <= SAME) return `As good as exact: ${amount} ${way}.`;
  if (answer === 0 || format === 'percent') return `You were ${amount} ${way}.`;
  if (share >= 1 && off > 0) return `You were ${amount} ${way}: ${times(guess / answer)} the answer.`;
  return `You were ${amount} ${way}, by ${Math.round(100 * share)} % of the answer.`;
}

const times = (factor: number): string => `${Number(factor.toPrecision(2))} times`;

export const verdictOnChoice = (guess: number, answer: number): string =>
  guess === answer ? 'You were right.' : 'The run gives another answer.';
