/**
 * Problems over a few symbols for a causal model: a prompt, a separator, the answer. A row is the whole line without
 * its last token; its target is the line shifted by one, -100 within the prompt, so that each answer token is predicted
 * from the token before it:
 *
 *   reverse  3 1 2 > 2 1 3     input  3 1 2 > 2 1     target  . . . 2 1 3     (sort, copy alike; context 2 n)
 *   modularAddition, modulus 5, three numbers   4 + 3 + 1 = 3   (context 2 n)      parity   1 0 1 1 = 1   (context n +
 *   1)
 *
 * Problems are distinct, so test rows never occur in training; if fewer than `samples` exist, each occurs once, in
 * random order.
 */
import type { DataConfig } from '../../../protocol/config';
import { sequenceLines } from '../../../protocol/config/rule-made';
import type { Generator } from '../../../tensor/generator';
import { dataFamily, NO_TARGET, type Rows } from '../../family';
import { checkSize } from '../../limits';
import { DATASET } from '../../torch-lines';

type SequenceConfig = Extract<DataConfig, { type: 'sequence' }>;

function sequence(generator: Generator, config: SequenceConfig): Rows {
  const { length } = config;
  const { symbols, vocabulary, context, promptLength, line } = sequenceLines(config);
  checkSize(config.type, config.samples, context, 'Use fewer samples or a smaller length.');

  const problems = distinctProblems(generator, config.samples, length, symbols);
  const inputs = new Int32Array(problems.length * context);
  const values = new Int32Array(problems.length * context).fill(NO_TARGET);
  for (const [row, numbers] of problems.entries()) {
    const tokens = line(numbers);
    inputs.set(tokens.slice(0, -1), row * context);
    values.set(tokens.slice(promptLength), row * context + promptLength - 1);
  }
  return {
    kind: 'tokens',
    inputs,
    inputShape: [context],
    targets: { kind: 'tokens', length: context, classes: vocabulary.length, values },
    vocabulary,
  };
}

/** With few possible problems: one permutation of all. With many: `randint` per problem, drawn again for duplicates. */
function distinctProblems(generator: Generator, samples: number, length: number, symbols: number): number[][] {
  const possible = symbols ** length;
  if (possible <= 4 * samples) {
    const order = generator.randperm(possible).subarray(0, samples);
    return Array.from(order, (id) => Array.from({ length }, (_, i) => Math.floor(id / symbols ** i) % symbols));
  }
  const seen = new Set<string>();
  const problems: number[][] = [];
  while (problems.length < samples) {
    const numbers = generator.randint(0, symbols, length);
    const key = numbers.join(' ');
    if (seen.has(key)) continue;
    seen.add(key);
    problems.push(numbers);
  }
  return problems;
}

const ANSWERS: Readonly<Record<SequenceConfig['task'], string>> = {
  sort: 'numbers.sort(1).values',
  reverse: 'numbers.flip(1)',
  copy: 'numbers',
  modularAddition: 'numbers.sum(1, keepdim=True) % symbols',
  parity: 'numbers.sum(1, keepdim=True) % 2',
};

/** x: the problem, a sign, the answer without its last token; y: the next token for each, or -100 before the answer. */
function torch(data: SequenceConfig): readonly string[] {
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
    DATASET,
  ];
}

export const family = dataFamily({
  type: 'sequence',
  rows: ({ config, generator }) => sequence(generator, config),
  torch,
});
