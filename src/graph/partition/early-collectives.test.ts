/** Which nodes of a backward pass come after a collective, and that every node still comes after what it reads. */
import { expect, it } from 'vitest';
import type { Graph, GraphNode } from '../graph';
import { ALL_REDUCE } from '../ops/collective';
import { earlyCollectives } from './early-collectives';

const node = (op: string, module: string, inputs: number[], outputs: number[]): GraphNode => ({
  ...{ op, module, inputs, outputs },
  attrs: op.startsWith('collective') ? { axis: 'tp' } : {},
  phase: 'backward',
});

const orderOf = (nodes: readonly GraphNode[]): readonly string[] =>
  earlyCollectives({ values: [], nodes } satisfies Graph).nodes.map(({ op, module }) => `${module} ${op}`);

it('puts the gradient of a weight behind the all-reduce of the input gradient', () => {
  const backward = [
    node('ops/relu-grad', '1', [0], [1]),
    node('ops/linear-grad-params', '0', [1], [2]),
    node('ops/sum', '0', [1], [3]),
    node('ops/linear-grad-input', '0', [1], [4]),
    node(ALL_REDUCE, '0', [4], [5]),
    node('ops/relu-grad', '-', [5], [6]),
  ];
  expect(orderOf(backward)).toEqual([
    '1 ops/relu-grad',
    '0 ops/linear-grad-input',
    `0 ${ALL_REDUCE}`,
    '0 ops/linear-grad-params',
    '0 ops/sum',
    '- ops/relu-grad',
  ]);
});

it('leaves what the collective needs, other layers, and other collectives where they are', () => {
  const backward = [
    node('ops/linear-grad-params', '2', [0], [1]),
    node('ops/linear-grad-input', '2', [0], [2]),
    node('ops/linear-grad-params', '0', [2], [3]),
    node('ops/copy', '0', [2], [4]),
    node(ALL_REDUCE, '0', [4], [5]),
    node(ALL_REDUCE, '0', [3], [6]),
  ];
  // The second collective needs what the first one has left.
  expect(orderOf(backward)).toEqual([
    '2 ops/linear-grad-params',
    '2 ops/linear-grad-input',
    '0 ops/copy',
    `0 ${ALL_REDUCE}`,
    '0 ops/linear-grad-params',
    `0 ${ALL_REDUCE}`,
  ]);
});
