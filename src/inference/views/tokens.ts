/** Converts token ids to text and back, by the vocabulary of a data set. Used by every view of text and sequences. */
import { LockstepError } from '../../base/errors';
import { quoted } from '../../data/data-error';
import type { Dataset } from '../../data/dataset';
import { NO_TARGET } from '../../data/family';

export interface Tokens {
  readonly vocabulary: readonly string[];
  /** Ids as text; -100 (no target) as '·'. */
  decode(ids: ArrayLike<number>): string;
  /** Throws LockstepError('data') that names the characters that the vocabulary lacks. */
  encode(text: string): Int32Array<ArrayBuffer>;
}

/** Whether text can be sampled: one input token and one target token per position. */
export const asksTokens = ({ kind, inputShape, targetShape, targets }: Dataset): boolean =>
  kind === 'tokens' && targets instanceof Int32Array && targetShape.length === 1 && targetShape[0] === inputShape[0];

export function tokensOf({ vocabulary = [] }: Dataset): Tokens {
  const idOf = new Map(vocabulary.map((token, id) => [token, id]));
  const characters = vocabulary.every((token) => Array.from(token).length === 1);
  return {
    vocabulary,
    decode: (ids) =>
      Array.from(ids, (id) => (id === NO_TARGET ? '·' : (vocabulary[id] ?? '?'))).join(characters ? '' : ' '),
    encode(text) {
      const tokens = characters ? Array.from(text.replace(/\r\n?/g, '\n')) : text.split(/\s+/).filter(Boolean);
      const unknown = [...new Set(tokens.filter((token) => !idOf.has(token)))];
      if (unknown.length > 0) {
        const names = unknown.slice(0, 8).map(quoted).join(', ');
        throw new LockstepError(
          'data',
          `The prompt has ${unknown.length === 1 ? 'a token' : 'tokens'} that the data does not contain: ${names}.`,
          `Use tokens of the data: ${vocabulary.slice(0, 40).map(quoted).join(' ')}${vocabulary.length > 40 ? ' ...' : ''}`,
          { unknown },
        );
      }
      return Int32Array.from(tokens, (token) => idOf.get(token) ?? 0);
    },
  };
}
