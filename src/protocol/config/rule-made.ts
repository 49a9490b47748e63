/**
 * The sizes of the rule-made data sets, and the problems over symbols, which determine the length of a row. The data
 * room makes rows from these; the page fits a model to the rows before they exist. Pure.
 */
export const DIGIT_CLASSES = 10;

/** Number of different characters in the built-in text; a user's text may have another number. */
export const OWN_TEXT_VOCABULARY = 38;

export const SHAPE_NAMES = ['circle', 'square', 'triangle', 'cross', 'star', 'ring'] as const;

interface SequenceSizes {
  readonly task: 'sort' | 'reverse' | 'copy' | 'modularAddition' | 'parity';
  readonly length: number;
  readonly symbols: number;
}

export interface TokenTask {
  /** The tokens after the symbols '0' .. 'm-1'; the last one separates prompt and answer. */
  readonly signs: readonly string[];
  /** The prompt without the separator; `sign(i)` is the id of the i-th sign. */
  prompt(numbers: readonly number[], sign: (index: number) => number): readonly number[];
  answer(numbers: readonly number[], symbols: number): readonly number[];
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);
const plain = (numbers: readonly number[]): readonly number[] => numbers;

const TASKS: Readonly<Record<SequenceSizes['task'], TokenTask>> = {
  sort: { signs: ['>'], prompt: plain, answer: (numbers) => numbers.toSorted((a, b) => a - b) },
  reverse: { signs: ['>'], prompt: plain, answer: (numbers) => numbers.toReversed() },
  copy: { signs: ['>'], prompt: plain, answer: plain },
  modularAddition: {
    signs: ['+', '='],
    prompt: (numbers, sign) => numbers.flatMap((n, i) => (i === 0 ? [n] : [sign(0), n])),
    answer: (numbers, modulus) => [sum(numbers) % modulus],
  },
  parity: { signs: ['='], prompt: plain, answer: (numbers) => [sum(numbers) % 2] },
};

export interface SequenceLines {
  readonly symbols: number;
  readonly vocabulary: readonly string[];
  /** The tokens of a row: the line without its last token. */
  readonly context: number;
  /** The tokens before the answer, including the separator. */
  readonly promptLength: number;
  line(numbers: readonly number[]): readonly number[];
}

export function sequenceLines({ task: name, length, symbols: given }: SequenceSizes): SequenceLines {
  const task = TASKS[name];
  const symbols = name === 'parity' ? 2 : given;
  const sign = (index: number): number => symbols + index;
  const prompt = (numbers: readonly number[]) => [...task.prompt(numbers, sign), sign(task.signs.length - 1)];
  const zeros = Array.from({ length }, () => 0);
  const promptLength = prompt(zeros).length;
  return {
    symbols,
    vocabulary: [...Array.from({ length: symbols }, (_, i) => String(i)), ...task.signs],
    context: promptLength + task.answer(zeros, symbols).length - 1,
    promptLength,
    line: (numbers) => [...prompt(numbers), ...task.answer(numbers, symbols)],
  };
}

/** The characters of a text as its tokens: code points, with one kind of line end. */
export const charactersOf = (text: string): readonly string[] => Array.from(text.replace(/\r\n?/g, '\n'));

/** The number of different characters, as the data set counts them. */
export const differentCharacters = (text: string): number => new Set(charactersOf(text)).size;
