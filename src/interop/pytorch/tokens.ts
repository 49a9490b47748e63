/**
 * The lines of the listing that make token sequences: problems from rules, and windows over a text, as in
 * src/data/families. Called by data.ts.
 */
import { OWN_TEXT } from '../../data/families/own-text';
import type { DataConfig } from '../../protocol/config';
import { python } from './python';

/** Longer texts are not written into a listing. */
const LONGEST = 10_000;

const ANSWERS: Readonly<Record<Extract<DataConfig, { type: 'sequence' }>['task'], string>> = {
  sort: 'numbers.sort(1).values',
  reverse: 'numbers.flip(1)',
  copy: 'numbers',
  modularAddition: 'numbers.sum(1, keepdim=True) % symbols',
  parity: 'numbers.sum(1, keepdim=True) % 2',
};

/** x: the problem, a sign, the answer without its last token; y: the next token for each, or -100 before the answer. */
export function sequenceCode(data: Extract<DataConfig, { type: 'sequence' }>): readonly string[] {
  const { task, length, samples } = data;
  const symbols = task === 'parity' ? 2 : data.symbols;
  const adds = task === 'modularAddition';
  const possible = symbols ** length;
  const problems =
    possible <= 4 * samples
      ? [
          `ids = torch.randperm(${possible})[:${samples}]`,
          `numbers = ids[:, None] // symbols ** torch.arange(${length}) % symbols`,
        ]
      : [
          'seen = {}',
          `while len(seen) < ${samples}:`,
          `    seen[tuple(torch.randint(0, symbols, (${length},)).tolist())] = True`,
          'numbers = torch.tensor(list(seen))',
        ];
  const prompt = adds
    ? [
        'plus = torch.full_like(numbers, symbols)',
        'prompt = torch.stack((plus, numbers), 2).flatten(1)[:, 1:]  # a + b + c',
      ]
    : ['prompt = numbers'];
  return [
    `symbols = ${symbols}`,
    ...problems,
    ...prompt,
    `answer = ${ANSWERS[task]}`,
    `sign = torch.full((len(numbers), 1), symbols${adds ? ' + 1' : ''})`,
    'line = torch.cat((prompt, sign, answer), 1)',
    'x, y = line[:, :-1], line[:, 1:].clone()',
    'y[:, :prompt.shape[1]] = -100  # the loss counts only the answer',
  ];
}

export function textCode(data: Extract<DataConfig, { type: 'text' }>): readonly string[] {
  const { file, context, stride = context } = data;
  const text = (data.text ?? OWN_TEXT).replace(/\r\n?/g, '\n');
  const source =
    file !== undefined
      ? `open(${python(file)}, encoding='utf-8').read()`
      : text.length <= LONGEST
        ? JSON.stringify(text)
        : "open('text.txt', encoding='utf-8').read()  # the text of the configuration";
  return [
    `text = ${source}`,
    'ids = {c: i for i, c in enumerate(sorted(set(text)))}',
    'tokens = torch.tensor([ids[c] for c in text])',
    `x, y = (t.unfold(0, ${context}, ${stride}) for t in (tokens[:-1], tokens[1:]))`,
  ];
}
