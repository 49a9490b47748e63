/**
 * The closed forms, calculated by hand for a net of 2-4-3 (27 parameters, 108 bytes), and with running statistics of 20
 * bytes.
 */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { type ConfigInput, configSchema } from '../protocol/config';
import type { HookPhase } from '../protocol/step-kind';
import { bordersText, closedForm, type FormPass, type TransferSizes, together } from './closed-form';
import { PARALLEL_MODES } from './modes';

const layers = [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 3 }] as const;

const TRANSFERS: TransferSizes = {
  parameterBytes: 108,
  gradientBytes: 108,
  bufferBytes: 0,
  inputRowBytes: 8,
  outputRowBytes: 12,
  borderRowBytes: [],
};

const info = (config: ConfigInput, rows: readonly number[], transfers: Partial<TransferSizes> = {}) => ({
  sizes: {
    config: v.parse(configSchema, { model: { layers: [...layers] }, ...config }),
    devices: rows.length,
    parameters: [[4, 2], [4], [3, 4], [3]].map((shape) => ({ shape })),
    transfers: { ...TRANSFERS, ...transfers },
    buckets: undefined,
  },
  rows,
});

const PASS = { gradients: 'set', reduces: true, beforeRebuild: false, steps: true, hookPhase: 'usual' } as const;

const bytesFormula = ({ sizes, rows }: ReturnType<typeof info>, pass: Partial<FormPass> = {}) =>
  PARALLEL_MODES[sizes.config.mode].facets(sizes.config).facts.closedForm(sizes, { ...PASS, rows, ...pass });

test('one device sends nothing', () => {
  expect(bytesFormula(info({ mode: 'single' }, [8])).perDevice).toEqual([0]);
  expect(bytesFormula(info({ mode: 'ddp' }, [8])).total).toBe(0);
  expect(bytesFormula(info({ mode: 'dataParallel' }, [8, 0, 0])).perDevice).toEqual([0, 0, 0]);
});

test('DDP: the ring shares the work, the naive all-reduce loads rank 0', () => {
  const ring = bytesFormula(info({ mode: 'ddp' }, [2, 2, 2, 2]));
  expect(ring).toMatchObject({ perDevice: [162, 162, 162, 162], total: 648, exact: false });
  expect(ring.text).toBe('2(N-1)/N × S; N = 4, S = 108 B');
  const naive = bytesFormula(info({ mode: 'ddp', ddp: { algorithm: 'naive' } }, [2, 2, 2, 2]));
  expect(naive).toMatchObject({ perDevice: [324, 108, 108, 108], total: 648, exact: true });
});

test.each([
  ['tree', 1, 'S up to the parent (not the root) and S down to each child; on average 2(N-1)/N × S'],
  ['doubleTree', 1, '2(N-1)/N × S: half of it in each of two trees'],
  ['halvingDoubling', 1, '2(N-1)/N × S: S/2, S/4 ... and back'],
  ['hierarchical', 2, '2(L-1)/L × S inside nodes + 2(M-1)/M × S/L across; M = 2 nodes of L = 2'],
] as const)('DDP by %s: as many bytes together as round the ring', (algorithm, nodes, text) => {
  const found = bytesFormula(info({ mode: 'ddp', nodes, ddp: { algorithm } }, [2, 2, 2, 2]));
  expect(found).toMatchObject({ total: 648, exact: false, text: `${text}; N = 4, S = 108 B` });
});

test('DataParallel: parameters, inputs and output gradients out, outputs and gradients back', () => {
  const { perDevice } = bytesFormula(info({ mode: 'dataParallel' }, [3, 3, 1]));
  // cuda:0: 2 x 108 parameters + 4 rows of (2 inputs + 3 output gradients); the others 108 gradients + 3 outputs a row.
  expect(perDevice).toEqual([216 + 4 * 4 * 5, 108 + 4 * 3 * 3, 108 + 4 * 1 * 3]);
  expect(bytesFormula(info({ mode: 'dataParallel' }, [3, 3, 3]), { rows: [2, 2, 0] }).perDevice).toEqual([
    108 + 4 * 2 * 5,
    108 + 4 * 2 * 3,
    0,
  ]);
});

test('DataParallel copies running statistics too; what backward does not reach is copied and not summed', () => {
  const { perDevice, text } = bytesFormula(
    info({ mode: 'dataParallel' }, [3, 3, 1], { bufferBytes: 20, gradientBytes: 96 }),
  );
  expect(perDevice).toEqual([2 * (108 + 20) + 4 * 4 * 5, 96 + 4 * 3 * 3, 96 + 4 * 1 * 3]);
  expect(text).toContain('(n-1) × (P + B)');
});

test('model parallel: the activations of each border, both ways', () => {
  const split = (...borderRowBytes: number[]) =>
    bytesFormula(
      info(
        { mode: 'modelParallel' },
        Array.from({ length: borderRowBytes.length + 1 }, () => 5),
        { borderRowBytes },
      ),
    );
  expect(split(16).perDevice).toEqual([5 * 16, 5 * 16]);
  expect(split(16, 64).perDevice).toEqual([80, 80 + 320, 320]);
  expect(split().total).toBe(0);
});

test('parameter server: all of it passes the server', () => {
  const server = bytesFormula(info({ mode: 'parameterServer' }, [0, 3, 3, 0]));
  expect(server).toMatchObject({ perDevice: [216, 108, 108, 0], total: 432, exact: true });
  expect(bytesFormula(info({ mode: 'parameterServer' }, [8])).total).toBe(0);
});

test('parameter server: running statistics come from the first worker, or from each in its turn', () => {
  const bytes = (parameterServer: ConfigInput['parameterServer']) =>
    bytesFormula(info({ mode: 'parameterServer', parameterServer }, [0, 3, 3], { bufferBytes: 20 })).perDevice;
  expect(bytes({})).toEqual([256, 128, 108]);
  expect(bytes({ synchronous: false })).toEqual([256, 128, 128]);
});

test('parameter server: micro-batches pull first and push last', () => {
  const config: ConfigInput = { mode: 'parameterServer', accumulate: 3 };
  const bytes = (gradients: 'set' | 'add', steps: boolean) =>
    bytesFormula(info(config, [0, 3, 3]), { gradients, steps }).perDevice;
  expect(bytes('set', false)).toEqual([216, 0, 0]);
  expect(bytes('add', false)).toEqual([0, 0, 0]);
  expect(bytes('add', true)).toEqual([0, 108, 108]);
});

test('DDP under no_sync sends nothing, its constructor all parameters and buffers', () => {
  const run = info({ mode: 'ddp', accumulate: 2 }, [2, 2], { bufferBytes: 20 });
  expect(bytesFormula(run, { reduces: false, steps: false }).total).toBe(0);
  expect(bytesFormula(run, { steps: false }).total).toBe(216);
  expect(bytesFormula(run, { gradients: 'add' }).total).toBe(216);
  expect(PARALLEL_MODES.ddp.facets(run.sizes.config).facts.constructForm?.(run.sizes).perDevice).toEqual([128, 0]);
});

test('micro-batches of one Program add up', () => {
  const one = closedForm([1, 2], 'a', { exact: false });
  expect(together([one])).toEqual(one);
  expect(together([closedForm([0, 0], 'none'), one])).toMatchObject({ perDevice: [1, 2], text: 'a', exact: false });
  expect(together([one, closedForm([3, 3], 'b')])).toMatchObject({ perDevice: [4, 5], total: 9, text: 'b; 2 times' });
});

test('communication hooks send less', () => {
  const total = (commHook: NonNullable<NonNullable<ConfigInput['ddp']>['commHook']>, hookPhase: HookPhase = 'usual') =>
    bytesFormula(info({ mode: 'ddp', ddp: { commHook } }, [2, 2]), { hookPhase }).total;
  // 27 elements are 14 words of two halves.
  expect(total({ type: 'fp16Compress' })).toBe(2 * 56);
  expect(total({ type: 'localSGD' })).toBe(0);
  expect(total({ type: 'localSGD' }, 'average')).toBe(2 * 108);
  // [4, 2] and [3, 4] as factors of rank 1: 6 and 7 elements; biases as they are.
  expect(total({ type: 'powerSGD', minCompressionRate: 1 })).toBe(2 * 4 * (6 + 4 + 7 + 3));
  expect(total({ type: 'powerSGD', minCompressionRate: 1 }, 'plain')).toBe(2 * 108);
});

test('equal bytes at several borders are given once, with the number of borders', () => {
  expect(bordersText([128])).toBe('128 B each way');
  expect(bordersText([128, 128, 128])).toBe('128 B each way at each of 3 borders');
  expect(bordersText([128, 64])).toBe('128 B, 64 B each way');
});
