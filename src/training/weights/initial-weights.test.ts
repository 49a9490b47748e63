/**
 * Weights from a file: taken bit for bit, in any order, with or without `module.`, also from torch's own; refused in
 * the words of load_state_dict.
 */
import { describe, expect, test } from 'vitest';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { runConfig } from '../../headless/run';
import { readSafetensors, writeSafetensors } from '../../interop/safetensors';
import { initialBuffers, initialParameters } from '../../nn/model';
import { tiedNames } from '../../nn/tied';
import type { LayerConfig } from '../../protocol/config';
import { openTestSession } from '../../session/testing/open-session';
import { Generator } from '../../tensor/generator';
import torchState from '../fixtures/torch-state.json';
import { initialWeights } from './initial-weights';

const FILE = 'w.safetensors';
const layers: readonly LayerConfig[] = [{ type: 'Linear', in: 2, out: 3, bias: true }];
const drawn = { parameters: initialParameters(layers, new Generator(0)), buffers: [] };
const start = initialParameters(layers, new Generator(1));
const read = (tensors: Parameters<typeof writeSafetensors>[0]) =>
  initialWeights(FILE, { [FILE]: writeSafetensors(tensors) }, drawn).parameters;

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

test('a type that does not match', () => {
  const whole = start.map((p) => (p.name === '0.bias' ? { ...p, data: new Int32Array(3) } : p));
  expect(() => read(whole)).toThrow('tensor "0.bias" is not torch.float32');
});

test('a file that is not there', () => {
  expect(() => initialWeights('', {}, drawn)).toThrow('The weights file "" was not given.');
});

describe('a model with running statistics and a tied weight', () => {
  const { layers: model } = parseConfig({
    model: {
      layers: [
        { type: 'Embedding', vocab: 5, width: 3, name: 'tok' },
        { type: 'BatchNorm1d', features: 3, name: 'norm' },
        { type: 'Linear', in: 3, out: 5, tied: 'tok.weight', name: 'head' },
      ],
    },
  }).model;
  const state = {
    parameters: initialParameters(model, new Generator(0)),
    buffers: initialBuffers(model, { type: 'CrossEntropyLoss', reduction: 'mean', classWeights: [1, 2, 3, 4, 5] }),
  };
  const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const load = (bytes: Uint8Array<ArrayBuffer>) => initialWeights(FILE, { [FILE]: bytes }, state, tiedNames(model));
  const tensors = () => readSafetensors(FILE, bytesOf(torchState.whole));
  const values: Readonly<Record<string, readonly number[]>> = torchState.values;

  test.each(['whole', 'module'] as const)('takes what torch wrote (%s)', (form) => {
    const { parameters, buffers } = load(bytesOf(torchState[form]));
    expect(parameters.map((p) => p.name)).toEqual(['tok.weight', 'norm.weight', 'norm.bias', 'head.bias']);
    for (const { name, data } of [...parameters, ...buffers.slice(0, 3)]) expect([...data], name).toEqual(values[name]);
    expect(buffers.map((b) => [b.name, b.data.constructor.name])).toEqual([
      ['norm.running_mean', 'Float32Array'],
      ['norm.running_var', 'Float32Array'],
      ['norm.num_batches_tracked', 'Int32Array'],
      ['loss.weight', 'Float32Array'],
    ]);
    expect([...at(buffers, 2).data]).toEqual([2]);
    // The loss's own weights are no part of the model's state.
    expect([...at(buffers, 3).data]).toEqual([1, 2, 3, 4, 5]);
  });

  test('the tied weight under its second name alone; num_batches_tracked may be absent, running_mean not', () => {
    const second = tensors().filter(({ name }) => name !== 'tok.weight' && name !== 'norm.num_batches_tracked');
    const { parameters, buffers } = load(writeSafetensors(second));
    expect([...at(parameters, 0).data]).toEqual(values['tok.weight']);
    expect([...at(buffers, 2).data]).toEqual([0]);
    const lacking = tensors().filter(({ name }) => !/tok|head.weight|running_mean/.test(name));
    expect(() => load(writeSafetensors(lacking))).toThrow(
      'Missing key(s) in state_dict: "tok.weight", "norm.running_mean".',
    );
  });
});

test('torch can load the weights that a run saves, and a run that starts from them continues with these statistics', async () => {
  const config = {
    device: 'cpu',
    steps: 2,
    batchSize: 10,
    data: { type: 'xor', samples: 20 },
    model: {
      layers: [
        { type: 'Linear', in: 2, out: 2, name: 'a' },
        { type: 'BatchNorm1d', features: 2, name: 'norm' },
        { type: 'Linear', in: 2, out: 2, tied: 'a.weight', name: 'b' },
        { type: 'Linear', in: 2, out: 1 },
      ],
    },
  };
  const { weights } = await runConfig(config, {});
  const saved = readSafetensors(FILE, weights());
  const of = (name: string) =>
    must(
      saved.find((t) => t.name === name),
      name,
    );
  expect(saved.map((t) => t.name).sort()).toEqual(
    'a.weight a.bias norm.weight norm.bias b.bias 3.weight 3.bias b.weight norm.running_mean norm.running_var norm.num_batches_tracked'
      .split(' ')
      .sort(),
  );
  expect(of('b.weight').data).toEqual(of('a.weight').data);
  expect(of('norm.num_batches_tracked')).toEqual({
    name: 'norm.num_batches_tracked',
    shape: [],
    data: BigInt64Array.of(2n),
  });
  const next = await runConfig(
    { ...config, weights: FILE, steps: 1, optimizer: { type: 'SGD', lr: 0 } },
    { [FILE]: weights() },
  );
  const after = readSafetensors(FILE, next.weights());
  expect(after.find((t) => t.name === 'norm.num_batches_tracked')?.data).toEqual(BigInt64Array.of(3n));
  expect(after.find((t) => t.name === 'a.weight')?.data).toEqual(of('a.weight').data);
});

test('DDP saves model.module.state_dict(); the state_dict() of the wrapper, with module. before each name, is read alike', async () => {
  const s = await openTestSession({
    device: 'cpu',
    mode: 'ddp',
    worldSize: 2,
    data: { type: 'xor', samples: 16 },
    batchSize: 4,
  });
  await s.api.traceStep();
  const plain = await s.api.saveWeights();
  await s.close();
  const tensors = readSafetensors('w', plain);
  expect(tensors.map(({ name }) => name)).toContain('0.weight');
  const wrapped = writeSafetensors(
    tensors.map((tensor) => ({ ...tensor, name: `module.${tensor.name}` })),
    { format: 'pt' },
  );
  const hashes = await Promise.all(
    [plain, wrapped].map(async (file) => {
      const config = { device: 'cpu', data: { type: 'xor', samples: 16 }, steps: 1, weights: 'w.safetensors' };
      return (await runConfig(config, { 'w.safetensors': file })).report.weightsSha256;
    }),
  );
  expect(hashes[0]).toBe(hashes[1]);
});
