/**
 * Text at character level: the vocabulary is the text's own characters (code points) in order; a row is a window of
 * `context` characters, its target is the window shifted by one character; windows start every `stride` characters, and
 * a remainder at the end is dropped. Line ends become '\n'.
 */

import { LockstepError } from '../../../base/errors';
import type { DataConfig, LossConfig } from '../../../protocol/config';
import { charactersOf } from '../../../protocol/config/rule-made';
import type { Files } from '../../../protocol/session';
import { fileBytes } from '../../data-error';
import { dataFamily, type Rows } from '../../family';
import { checkFileSize, checkSize, MAX_TEXT_BYTES } from '../../limits';
import { decodeUtf8 } from '../../readers/utf8';
import { DATASET } from '../../torch-lines';
import { OWN_TEXT } from '../own-text';

type TextConfig = Extract<DataConfig, { type: 'text' }>;

function text(config: TextConfig, files: Files): Rows {
  const { context, stride = context } = config;
  const characters = charactersOf(read(config, files));
  if (characters.length <= context) {
    const where = config.file === undefined ? 'The text' : config.file;
    throw new LockstepError(
      'data',
      `${where}: found ${characters.length} characters, expected at least ${context + 1} for one window of ${context} and the character after it.`,
      'Use a smaller context, or more text.',
      { characters: characters.length, context },
    );
  }
  const vocabulary = [...new Set(characters)].toSorted((a, b) => codePoint(a) - codePoint(b));
  const idOf = new Map(vocabulary.map((character, id) => [character, id]));
  const ids = Int32Array.from(characters, (character) => idOf.get(character) ?? 0);

  const rows = Math.floor((ids.length - 1 - context) / stride) + 1;
  checkSize(config.type, rows, context, 'Use a larger stride, or less text.');
  const inputs = new Int32Array(rows * context);
  const values = new Int32Array(rows * context);
  for (let row = 0; row < rows; row++) {
    const start = row * stride;
    inputs.set(ids.subarray(start, start + context), row * context);
    values.set(ids.subarray(start + 1, start + 1 + context), row * context);
  }
  return {
    kind: 'tokens',
    inputs,
    inputShape: [context],
    targets: { kind: 'tokens', length: context, classes: vocabulary.length, values },
    vocabulary,
  };
}

const codePoint = (character: string): number => character.codePointAt(0) ?? 0;

function read({ file, text: given }: TextConfig, files: Files): string {
  if (file === undefined) return given ?? OWN_TEXT;
  const bytes = fileBytes(files, file);
  checkFileSize({ file }, bytes.length, MAX_TEXT_BYTES);
  return decodeUtf8(file, bytes, 'text in UTF-8', 'Save the text in UTF-8.');
}

/** Longer texts are not written into a listing. */
const LONGEST = 10_000;

function torch(data: TextConfig, _: LossConfig, quote: (text: string) => string): readonly string[] {
  const { file, context, stride = context } = data;
  const text = (data.text ?? OWN_TEXT).replace(/\r\n?/g, '\n');
  const source =
    file !== undefined
      ? `open(${quote(file)}, encoding='utf-8').read()`
      : text.length <= LONGEST
        ? JSON.stringify(text)
        : "open('text.txt', encoding='utf-8').read()  # the text of the configuration";
  return [
    `text = ${source}`,
    'ids = {c: i for i, c in enumerate(sorted(set(text)))}',
    'tokens = torch.tensor([ids[c] for c in text])',
    `x, y = (t.unfold(0, ${context}, ${stride}) for t in (tokens[:-1], tokens[1:]))`,
    DATASET,
  ];
}

export const family = dataFamily({
  type: 'text',
  rows: ({ config, files }) => text(config, files),
  torch,
});
