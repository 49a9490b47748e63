/**
 * Tensor parallelism under torch.autocast on the CPU device against PyTorch: what each rank rounds to bfloat16, that
 * addends are added up in bfloat16, and that the bias goes into one of the products.
 * scripts/tensor-autocast-reference.py has made the fixture.
 */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at, must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { Program } from '../../program/instruction';
import type { ConfigInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import { metricsOf } from '../../trace/metrics';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import fixture from '../fixtures/tensor-autocast.json';
import { TENSOR_AUTOCAST_CASE } from '../testing/mixed-cases';
import { runParity } from '../testing/run-parity';
import { differenceFromSingle, replicaDivergence } from '../weights/weight-differences';

const { sizes, batch: batchSize } = fixture;
const { config: CONFIG, bars: BARS } = TENSOR_AUTOCAST_CASE;

test('two pairs of columns and rows have the bits of PyTorch', place({ modes: ['tensor'] }), async () => {
  const { measured } = await runParity(TENSOR_AUTOCAST_CASE);
  expect(measured.loss_rel_all).toBeLessThanOrEqual(BARS.loss_rel_all);
  expect(measured.first_grad_maxrel).toBe(0);
  expect(measured.final_param_maxabs).toBe(0);
  expect(measured.replicaDivergence).toBe(0);
});

/** Of the collectives of a Program: phase, bytes that a rank brings, and whether these are halves. */
function messagesOf({ lanes }: Program) {
  const { instructions, buffers } = at(lanes, 0);
  const found = new Map<number, string>();
  for (const i of instructions)
    if (i.kind === 'send' && i.collective?.tensor) {
      const { seq, op, tensor } = i.collective;
      const { halves } = must(
        buffers.find(({ name }) => name === i.slice.buffer),
        i.slice.buffer,
      );
      found.set(seq, `${op} in ${i.phase}: ${4 * tensor.length} B of ${halves?.format ?? 'float32'}`);
    }
  return [...found.values()];
}

const firstProgram = (config: ConfigInput): Program =>
  must(createBlueprint(parseConfig({ device: 'cpu', ...config }), {}).programs[0], 'a Program');

test('ranks send activations and their gradients as halves', () =>
  expect(messagesOf(firstProgram(CONFIG))).toEqual([
    `allReduce in forward: ${2 * batchSize * at(sizes, 2)} B of bf16`,
    `allReduce in forward: ${2 * batchSize * at(sizes, 4)} B of bf16`,
    `allReduce in backward: ${2 * batchSize * at(sizes, 2)} B of bf16`,
  ]));

test('a float32 tensor is gathered and reduced in float32, and then cast', () => {
  // The output of a layer norm of float32 rows is float32.
  const [features = 1, hidden = 1] = sizes;
  const layers = [
    { type: 'LayerNorm', features },
    { type: 'Linear', in: features, out: hidden },
    { type: 'Tanh' },
    { type: 'Linear', in: hidden, out: at(sizes, 4) },
  ] as const;
  const plan = { 1: 'ColwiseParallel', 3: 'RowwiseParallel' } as const;
  expect(messagesOf(firstProgram({ ...CONFIG, model: { layers: [...layers] }, tensor: { plan } }))).toEqual([
    `allReduce in forward: ${2 * batchSize * at(sizes, 4)} B of bf16`,
    `allReduce in backward: ${4 * batchSize * features} B of float32`,
  ]);
});

test('a part with an odd number of elements is sent with one half more', async () => {
  // Columns after columns: each of two ranks gathers pieces of 3 rows x 3 features.
  const config = parseConfig({
    ...CONFIG,
    device: 'cpu',
    model: { layers: mlpLayers([5, 6, 4], 'Tanh') },
    tensor: { plan: { 0: 'ColwiseParallel', 2: 'ColwiseParallel' } },
    batchSize: 3,
  });
  const blueprint = createBlueprint(config, {});
  expect(messagesOf(must(blueprint.programs[0], 'a Program'))[0]).toBe('allGather in forward: 20 B of bf16');
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  await training.run(5);
  const trace = await training.trace();
  expect(metricsOf(trace, 'modelled', sessionInfo(training))).toMatchObject({
    bytesAgree: true,
    formula: { exact: true },
  });
  // Nothing is added up over ranks but the gradient between the two layers, so the ranks round as one device does.
  expect(differenceFromSingle(blueprint, await training.weights())).toBeLessThan(0.002);
  await training.dispose();
});

test('the ranks of a tensor group skip a step together, and have equal scales', async () => {
  const gradScaler = { enabled: true, initScale: 2 ** 18, growthInterval: 2 };
  const config = { ...CONFIG, device: 'cpu', precision: 'autocast-fp16', gradScaler } as const;
  const open = (input: ConfigInput) =>
    createTraining(createBlueprint(parseConfig(input), {}), {
      keeper: new DeviceKeeper(undefined, true),
      gpu: undefined,
    });
  const [group, alone] = [await open(config), await open({ ...config, mode: 'single', worldSize: 1 })];
  const [ofGroup, ofOne] = [await group.run(12), await alone.run(12)];
  const told = ofGroup.map(({ scaler }) => scaler);
  expect(told).toEqual(ofOne.map(({ scaler }) => scaler));
  expect(told.some((each) => each?.skipped)).toBe(true);
  expect(told.every((each) => each?.skipped)).toBe(false);
  const weights = await group.weights();
  expect(replicaDivergence(group.blueprint, weights)).toBe(0);
  await group.dispose();
  await alone.dispose();
});
