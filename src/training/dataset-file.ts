/**
 * The rows of a run as .safetensors, for PyTorch: x and y (training rows, in order), x_test and y_test if there are
 * test rows, rows (the numbers of x's rows among all rows), and rng_state for torch.set_rng_state, so that the script
 * draws the same model as the run. Indices and tokens are int64, as torch needs. Called by run.ts.
 */
import { gatherRows } from '../data/gather-rows';
import { type NamedTensor, writeSafetensors } from '../interop/safetensors';
import { rngState } from '../tensor/rng-state';
import { allocate, elements, type HostArray, type Shape } from '../tensor/shape';
import type { Blueprint } from './blueprint';

export function datasetFile({ dataset, generatorAfterData }: Blueprint): Uint8Array<ArrayBuffer> {
  const { inputs, inputShape, targets, targetShape } = dataset;
  const part = (suffix: string, rows: Int32Array): NamedTensor[] =>
    rows.length === 0
      ? []
      : [tensor(`x${suffix}`, inputs, inputShape, rows), tensor(`y${suffix}`, targets, targetShape, rows)];
  const state = rngState(generatorAfterData);
  const generator: NamedTensor = { name: 'rng_state', shape: [state.length], data: state };
  const rows: NamedTensor = {
    name: 'rows',
    shape: [dataset.train.length],
    data: BigInt64Array.from(dataset.train, BigInt),
  };
  const tensors = [...part('', dataset.train), ...part('_test', dataset.test), rows, generator];
  return writeSafetensors(tensors, { format: 'pt' });
}

function tensor(name: string, source: HostArray, shape: Shape, rows: Int32Array): NamedTensor {
  const width = elements(shape);
  const data = allocate(source instanceof Int32Array ? 'i32' : 'f32', rows.length * width);
  gatherRows(source, width, rows, data);
  return {
    name,
    shape: [rows.length, ...shape],
    data: data instanceof Int32Array ? BigInt64Array.from(data, BigInt) : data,
  };
}
