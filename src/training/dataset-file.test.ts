/**
 * What a PyTorch script loads in place of rows that it cannot make: rows after the split, types of torch, and the
 * generator after their draws.
 */
import { expect, test } from 'vitest';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { readSafetensors } from '../interop/safetensors';
import { initialParameters } from '../nn/model';
import { Generator } from '../tensor/generator';
import { rngState } from '../tensor/rng-state';
import { createBlueprint } from './blueprint';
import { datasetFile } from './dataset-file';

const tensorsOf = (config: unknown) => {
  const blueprint = createBlueprint(parseConfig(config), {});
  const tensors = readSafetensors('d', datasetFile(blueprint));
  return { blueprint, of: (name: string) => tensors.find((t) => t.name === name), names: tensors.map((t) => t.name) };
};

test('images: training rows in the order of the split, test rows beside them, class indices as int64', () => {
  const { blueprint, of, names } = tensorsOf({
    data: { type: 'shapes', samples: 20, size: 8, testFraction: 0.25 },
    loss: { type: 'CrossEntropyLoss' },
    model: { layers: [{ type: 'Flatten' }, { type: 'Linear', in: 64, out: 6 }] },
  });
  expect(names).toEqual(['x', 'y', 'x_test', 'y_test', 'rows', 'rng_state']);
  const { train, test: rest, inputs, targets } = blueprint.dataset;
  expect(of('x')?.shape).toEqual([15, 1, 8, 8]);
  expect(of('x_test')?.shape).toEqual([5, 1, 8, 8]);
  const first = must(train[0], 'first row');
  expect(of('x')?.data.slice(0, 64)).toEqual(inputs.slice(64 * first, 64 * first + 64));
  expect(of('y')?.data).toEqual(BigInt64Array.from(train, (row) => BigInt(targets[row] ?? -1)));
  expect(of('y_test')?.data).toEqual(BigInt64Array.from(rest, (row) => BigInt(targets[row] ?? -1)));
});

test('tokens as int64; the generator draws the model of the run from there on', () => {
  const { blueprint, of, names } = tensorsOf({
    data: { type: 'sequence', task: 'copy', length: 2, symbols: 3, samples: 20, testFraction: 0 },
    loss: { type: 'CrossEntropyLoss' },
    model: {
      layers: [
        { type: 'Embedding', vocab: 4, width: 2 },
        { type: 'Linear', in: 2, out: 4 },
      ],
    },
  });
  expect(names).toEqual(['x', 'y', 'rows', 'rng_state']);
  expect(of('x')?.data).toBeInstanceOf(BigInt64Array);
  expect([...must(of('y'), 'y').data]).toContain(-100n);
  expect(of('rng_state')?.data).toEqual(rngState(blueprint.generatorAfterData));
  expect(of('rng_state')?.data).not.toEqual(rngState(new Generator(0)));
  const { layers } = blueprint.config.model;
  expect(initialParameters(layers, blueprint.generatorAfterData.clone())).toEqual(blueprint.parameters);
});
