/**
 * The lab's settings as one pair of the permalink: `lab=allReduce(algorithm:tree,ranks:8,round:3)`, with only the
 * values that differ from the defaults. Pure. Part of the first load, because the link decides whether the lab is open;
 * the rest of the lab is loaded when it opens.
 */
import * as v from 'valibot';
import { ALGORITHM_NAMES, COLLECTIVE_OPS, REDUCE_OPS } from '../../protocol/collective';
import type { LabRequest } from '../../protocol/lab';
import { parseValue, printValue } from './permalink-values';

const count = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const MOST_US = 1e6;
const LEAST_RATE = 1e-6;
const MOST_RATE = 1e5;
const MOST_LENGTH = 2 ** 25;
const MOST_SEED = 1e6;
const MOST_ROUND = 10_000;
const latency = v.pipe(v.number(), v.finite(), v.minValue(0), v.maxValue(MOST_US));
const rate = v.pipe(v.number(), v.finite(), v.minValue(LEAST_RATE), v.maxValue(MOST_RATE));

export const MOST_RANKS = 16;

const settings = v.pipe(
  v.strictObject({
    /** The collective; named `type`, because a structured value is written as a call of its type. */
    type: v.picklist(COLLECTIVE_OPS),
    reduce: v.optional(v.picklist(REDUCE_OPS), 'sum'),
    algorithm: v.optional(v.picklist(ALGORITHM_NAMES), 'ring'),
    ranks: v.optional(count(1, MOST_RANKS), 4),
    /** The number of elements that each rank contributes. */
    length: v.optional(count(0, MOST_LENGTH), 16),
    root: v.optional(count(0, MOST_RANKS - 1), 0),
    nodes: v.optional(count(1, MOST_RANKS), 1),
    /**
     * The start time of a collective; then latency and bandwidth within a node and across nodes. In microseconds and
     * GB/s.
     */
    startUs: v.optional(latency, 8.4),
    latencyUs: v.optional(latency, 5.7),
    gbPerS: v.optional(rate, 25),
    acrossUs: v.optional(latency, 30),
    acrossGbPerS: v.optional(rate, 1),
    seed: v.optional(count(0, MOST_SEED), 0),
    /** The shown round; 0 is the start. */
    round: v.optional(count(0, MOST_ROUND), 0),
  }),
  v.transform((s) => ({ ...s, root: Math.min(s.root, s.ranks - 1), nodes: Math.min(s.nodes, s.ranks) })),
);

export type LabSettings = v.InferOutput<typeof settings>;

export const DEFAULT_LAB: LabSettings = v.parse(settings, { type: 'allReduce' });
export const LAB_ALLOWED = 'a text as in allReduce(algorithm:ring,ranks:4,length:16), within the limits of the lab';

export function parseLab(text: string): LabSettings | undefined {
  const value = parseValue(text.includes('(') ? text : `${text}()`);
  const read = v.safeParse(settings, value);
  return read.success ? read.output : undefined;
}

export function printLab(lab: LabSettings): string {
  const given = Object.entries(lab).filter(
    ([key, value]) => key === 'type' || value !== DEFAULT_LAB[key as keyof LabSettings],
  );
  return printValue(Object.fromEntries(given)).replace(/\(\)$/, '');
}

/** The settings with some changed; undefined if a value is outside its limits. */
export function withLab(lab: LabSettings, change: Partial<LabSettings>): LabSettings | undefined {
  const read = v.safeParse(settings, { ...lab, ...change });
  return read.success ? read.output : undefined;
}

/** The limits of a number, for the message that refuses a value. */
export function limitsOf(key: keyof LabSettings, { ranks }: LabSettings): string {
  const whole = (least: number, most: number) => `The value must be a whole number from ${least} to ${most}.`;
  switch (key) {
    case 'ranks':
    case 'nodes':
      return whole(1, MOST_RANKS);
    case 'root':
      return whole(0, ranks - 1);
    case 'length':
      return whole(0, MOST_LENGTH);
    case 'seed':
      return whole(0, MOST_SEED);
    case 'round':
      return whole(0, MOST_ROUND);
    case 'gbPerS':
    case 'acrossGbPerS':
      return `The value must be a number from ${LEAST_RATE} to ${MOST_RATE}.`;
    case 'startUs':
    case 'latencyUs':
    case 'acrossUs':
      return `The value must be a number from 0 to ${MOST_US}.`;
    default:
      return 'The lab has no such setting.';
  }
}

export const labRequest = (lab: LabSettings): LabRequest => ({
  op: lab.type,
  reduceOp: lab.reduce,
  algorithm: lab.algorithm,
  worldSize: lab.ranks,
  length: lab.length,
  root: lab.root,
  nodes: lab.nodes,
  startUs: lab.startUs,
  link: { latencyUs: lab.latencyUs, bytesPerSecond: lab.gbPerS * 1e9 },
  across: { latencyUs: lab.acrossUs, bytesPerSecond: lab.acrossGbPerS * 1e9 },
  seed: lab.seed,
});
