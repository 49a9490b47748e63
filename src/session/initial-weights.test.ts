/** Weights from a file: taken bit for bit, in any order, with or without `module.`; refused in the words of load_state_dict. */
import { expect, test } from 'vitest';
import { writeSafetensors } from '../interop/safetensors';
import { initialParameters } from '../nn/model';
import { Generator } from '../tensor/generator';
import { initialWeights } from './initial-weights';

const drawn = initialParameters([{ type: 'Linear', in: 2, out: 3, bias: true }], new Generator(0));
const start = initialParameters([{ type: 'Linear', in: 2, out: 3, bias: true }], new Generator(1));
const read = (tensors: Parameters<typeof writeSafetensors>[0]) =>
  initialWeights('w.safetensors', { 'w.safetensors': writeSafetensors(tensors) }, drawn);

test('parameters come in the order of the model, whatever the order in the file', () => {
  expect(read(start)).toEqual(start);
  expect(read([...start].reverse())).toEqual(start);
  expect(read(start.map((p) => ({ ...p, name: `module.${p.name}` })))).toEqual(start);
});

test('names that do not match', () => {
  const renamed = start.map((p) => ({ ...p, name: p.name.replace('0.', 'fc.') }));
  expect(() => read(renamed)).toThrow(
    'Error(s) in loading state_dict from w.safetensors: Missing key(s) in state_dict: "0.weight", "0.bias". ' +
      'Unexpected key(s) in state_dict: "fc.weight", "fc.bias".',
  );
});

test('a shape that does not match', () => {
  const turned = start.map((p) => (p.name === '0.weight' ? { ...p, shape: [2, 3] } : p));
  expect(() => read(turned)).toThrow(
    'size mismatch for 0.weight: copying a param with shape torch.Size([2, 3]) from w.safetensors, the shape in current model is torch.Size([3, 2]).',
  );
});

test('a file that is not there', () => {
  expect(() => initialWeights('', {}, drawn)).toThrow('The weights file "" was not given.');
});
