/**
 * Sizes of what crosses between devices, as the graph of the model has them: what the closed form of the bytes is made
 * of (trace/formula). Called by session for SessionInfo.
 */
import { must } from '../base/invariant';
import { CLASS_WEIGHTS } from '../nn/losses';
import type { TransferSizes } from '../protocol/session';
import { elements } from '../tensor/shape';
import type { ModeInput, ParallelMode } from './mode';
import { stageGraph } from './stage-graph';

const BYTES = 4;
/** Batch norm asks for two. */
const ROWS = 2;

export function transferSizes(input: ModeInput, mode: ParallelMode): TransferSizes {
  const stage = stageGraph(input, { rows: ROWS, withLoss: true });
  const { values } = stage.graph;
  const bytesOf = (names: ReadonlySet<string>): number =>
    values.reduce((sum, { name, type }) => (names.has(name) ? sum + BYTES * elements(type.shape) : sum), 0);
  const output = must(
    values.find(({ name }) => name === stage.output),
    stage.output,
  );
  return {
    parameterBytes: bytesOf(new Set(stage.registered.map((p) => p.name))),
    gradientBytes: bytesOf(new Set(stage.parameters.map((p) => p.name))),
    bufferBytes: bytesOf(
      new Set(values.flatMap((v) => (v.role === 'buffer' && v.name !== CLASS_WEIGHTS ? [v.name] : []))),
    ),
    inputRowBytes: BYTES * elements(input.inputShape),
    outputRowBytes: (BYTES * elements(output.type.shape)) / ROWS,
    borderRowBytes: (mode.borderShapes?.(input) ?? []).map((shape) => BYTES * elements(shape)),
  };
}
