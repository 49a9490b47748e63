/**
 * The tables of docs/benchmarks.md that a command takes anew: `npm run bench -- --tables cpu,gpt2 --write`. Each row of
 * TABLES says how one of them is measured; tables-document.mjs puts its text between the table's marks in the document.
 */
import { measureInBrowser } from './browser-figures.mjs';
import { countBytes } from './count-bytes.mjs';
import { measureGpt2 } from './gpt2-figures.mjs';
import { measureGpu } from './gpu-figures.mjs';
import { measurePlanning } from './planning-figures.mjs';
import { report } from './report.mjs';
import { valuesOf } from './result-values.mjs';
import { NONE } from './summary.mjs';

/**
 * `text`: Markdown, which begins with date and machine. `values`: the numbers that two checkouts compare, by name; none
 * if they are counted, not measured.
 *
 * @typedef {{readonly name: string, readonly value: number}} Value
 * @typedef {{readonly text: string, readonly values: readonly Value[]}} Taken
 * @typedef {{readonly rounds: number, readonly milliseconds: number, readonly limitMs: number}} Rounds
 * @typedef {{readonly id: string, readonly about: string, readonly take: (rounds: Rounds) => Promise<Taken>}} TableRow
 */

/**
 * @param {{only?: string[], contenders?: string[], presets?: boolean, page?: boolean}} what
 * @returns {TableRow['take']}
 */
const inBrowser =
  ({ only = [NONE], contenders = [], presets = false, page = false }) =>
  async (rounds) => {
    const result = await measureInBrowser({ ...rounds, only, contenders, presets, page });
    return { text: report(result), values: valuesOf(result) };
  };

/** Through Dawn in Node, although the CPU device needs no GPU. @param {string[]} only @param {string[]} contenders */
const inNode = (only, contenders) => async (/** @type {Rounds} */ rounds) => {
  const result = await measureGpu({ ...rounds, only, contenders });
  return { text: report(result), values: valuesOf(result) };
};

const NETS = ['matmul', 'small', 'mlp', 'cnn', 'gpt'];
const ON_FOUR = ['lockstep-single', 'lockstep-ddp', 'lockstep-tensor', 'lockstep-sharded'];

/** @type {readonly TableRow[]} */
export const TABLES = [
  {
    id: 'libraries',
    about: 'Lockstep and other libraries of the browser',
    take: inBrowser({
      only: NETS,
      contenders: ['lockstep-single', 'lockstep-fused', 'lockstep-ddp', 'lockstep-cpu', 'tensorflow', 'jax'],
    }),
  },
  {
    id: 'cpu',
    about: 'the CPU device and PyTorch',
    take: inBrowser({ only: ['matmul-1024', 'mlp', 'cnn', 'gpt'], contenders: ['lockstep-cpu', 'pytorch'] }),
  },
  {
    id: 'threads',
    about: 'one and two threads of the CPU device in Node',
    take: inNode(['mlp', 'cnn', 'gpt'], ['lockstep-cpu']),
  },
  { id: 'modes', about: 'four ranks on one GPUDevice', take: inBrowser({ only: ['mlp', 'gpt'], contenders: ON_FOUR }) },
  { id: 'collectives', about: 'all-reduces and bare WebGPU', take: inBrowser({ only: ['all-reduce'] }) },
  {
    id: 'ddp',
    about: 'DDP at world size 1, with overlap, and from 1 to 16 ranks',
    take: inBrowser({ only: ['ddp-alone', 'overlap', 'world-size'] }),
  },
  { id: 'workers', about: 'ranks in workers', take: inBrowser({ only: ['workers'] }) },
  { id: 'pipelines', about: 'pipelines and Single', take: inBrowser({ only: ['pipeline'] }) },
  { id: 'presets', about: 'the first step of every preset', take: inBrowser({ presets: true }) },
  { id: 'page', about: 'the built page', take: inBrowser({ page: true }) },
  { id: 'planning', about: 'how long Programs take to compile, and exponents', take: () => measurePlanning() },
  { id: 'gpt2', about: 'GPT-2 small on the CPU device in Node', take: measureGpt2 },
  {
    id: 'bytes',
    about: 'bytes that kernels read and write (counted)',
    take: async () => ({ text: await countBytes(), values: [] }),
  },
];

/** The rows of TABLES that a list of ids names; 'all' names every table. @param {readonly string[]} ids */
export const tablesNamed = (ids) => (ids.includes('all') ? TABLES : TABLES.filter(({ id }) => ids.includes(id)));
