/**
 * The common part of the views of text and sequences: the vocabulary, the positions with targets, and decoders of the
 * model. Undefined if the targets are not tokens.
 */
import { at } from '../../base/invariant';
import type { Dataset } from '../../data/dataset';
import type { Blueprint } from '../../training/blueprint';
import { ignoreIndexOf } from '../accuracy';
import { createCachedDecoder } from './cached-decoder';
import type { Decoder } from './decoder';
import { asksTokens, type Tokens, tokensOf } from './tokens';
import { createWindowDecoder } from './window-decoder';

export interface Language {
  readonly dataset: Dataset;
  readonly tokens: Tokens;
  /** The number of tokens per row. */
  readonly context: number;
  /** The target value of a position without a target. */
  readonly ignoreIndex: number;
  /** Whether the target of every position is the next token; else a prompt asks for an answer. */
  readonly isText: boolean;
  createDecoder(): Decoder;
}

export function languageOf({ dataset, input, config }: Blueprint): Language | undefined {
  if (!asksTokens(dataset)) return undefined;
  const context = at(dataset.inputShape, 0);
  const ignoreIndex = ignoreIndexOf(config.loss);
  const tokens = tokensOf(dataset);
  return {
    dataset,
    tokens,
    context,
    ignoreIndex,
    isText: !dataset.targets.subarray(0, context).includes(ignoreIndex),
    createDecoder() {
      const decoder = createCachedDecoder(input) ?? createWindowDecoder(input);
      // A model may have more outputs than the data has tokens.
      return { ...decoder, vocabulary: Math.min(decoder.vocabulary, tokens.vocabulary.length) };
    },
  };
}
