/**
 * Loss and accuracy of given weights on training and test rows, as many as a budget of work allows (the first of each
 * part, always the same ones). Called by snapshots, and by reports with a larger budget. Keeps its evaluators, so that
 * a page's snapshots allocate little.
 */
import { must } from '../base/invariant';
import { gatherRows } from '../data/gather-rows';
import type { ModeInput } from '../parallel/mode-input';
import { allocate, elements, type HostArray } from '../tensor/shape';
import type { Blueprint } from '../training/blueprint';
import { accuracy } from './accuracy';
import { createEvaluator, type Evaluation, type ModelState } from './evaluator';

/** The most values that an evaluation may hold at once: 128 MB, for any limit on the work. */
const MOST_VALUES = 32_000_000;

export interface Measured extends Evaluation {
  readonly rows: Int32Array;
  readonly targets: HostArray;
  /** Classification: fraction right. */
  readonly accuracy: number | undefined;
}

export interface Measure {
  run(state: ModelState): { readonly train: Measured; readonly test: Measured | undefined };
}

/** The number of rows for estimating costs; products of a single row are relatively more expensive. */
const ESTIMATED_ROWS = 4;

/** Roughly the number of rows that can be evaluated at once in this time; at least one. */
export function affordableRows(input: ModeInput, ns: number): number {
  const { graph, costNs } = createEvaluator(input, ESTIMATED_ROWS);
  const held = graph.values.filter(({ role }) => role === 'activation' || role === 'input' || role === 'loss');
  const values = held.reduce((sum, { type }) => sum + elements(type.shape), 0);
  return Math.max(1, Math.floor(ESTIMATED_ROWS * Math.min(ns / Math.max(1, costNs), MOST_VALUES / values)));
}

/** Copies the inputs and targets of these rows, in order. */
export function gather(
  { table }: Blueprint,
  rows: Int32Array,
): { readonly inputs: HostArray; readonly targets: HostArray } {
  const inputs = allocate(table.inputType, rows.length * table.inputWidth);
  const targets = allocate(table.targetType, rows.length * table.targetWidth);
  gatherRows(table.inputs, table.inputWidth, rows, inputs);
  gatherRows(table.targets, table.targetWidth, rows, targets);
  return { inputs, targets };
}

/** `partNs`: the rough limit for the cost of each of the two parts. */
export function createMeasure(blueprint: Blueprint, partNs: number): Measure {
  const { dataset, input, config } = blueprint;
  const most = affordableRows(input, partNs);
  const part = (all: Int32Array) => {
    if (all.length === 0) return undefined;
    const rows = all.subarray(0, most);
    const evaluator = createEvaluator(input, rows.length);
    const { inputs, targets } = gather(blueprint, rows);
    return (state: ModelState): Measured => {
      const result = evaluator.run(state, inputs, targets);
      const right = dataset.task === 'classification' ? accuracy(config.loss, result.outputs, targets) : undefined;
      return { ...result, rows, targets, accuracy: right };
    };
  };
  const train = must(part(dataset.train), 'training rows');
  const test = part(dataset.test);
  return { run: (state) => ({ train: train(state), test: test?.(state) }) };
}
