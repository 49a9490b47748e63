/** What is said at an event; every event of real steps is asked for a sentence in training/trace.test.ts. */
import { expect, test } from 'vitest';
import { sentenceOf } from './sentence';
import { type EventSketch, makeTrace, slice, transfer } from './testing/make-trace';
import { hop, ranks, said } from './testing/told-trace';
import { printTrace } from './trace-text';

test('the sentences of both overlapping events mention the overlap, on the clock on which they overlap', () => {
  const trace = makeTrace([
    ...ranks,
    {
      id: 5,
      rank: 2,
      device: 2,
      phase: 'backward',
      module: '2',
      name: 'ops/linear-grad-params',
      writes: ['2.weight.grad', '2.bias.grad'],
      us: [18, 24],
    },
    ...transfer([10, 11], 1, 2, {
      slice: slice('bucket1', 9, 3),
      us: [20, 21],
      apply: 'add',
      collective: hop('reduce-scatter', 2),
    }),
  ]);
  const [compute, , recv] = said(trace).slice(4);
  expect(compute).toBe(
    'Backward: rank 2 computes the weight and bias gradients of layer 2 (Linear), while bucket 1 is being summed around the ring',
  );
  expect(recv).toBe(
    'Rank 2 adds chunk 3 of bucket 1 from rank 1: now the sum of 2 of 4 ranks, while layer 2 still computes its gradient',
  );
  const apart = { ...trace, modelled: trace.modelled.map((s, i) => (i === 4 ? { startUs: 0, durUs: 1 } : s)) };
  expect(sentenceOf(apart, 4, 'modelled')).not.toContain('while');
  expect(sentenceOf(apart, 4, 'measured')).toContain('while');
});

test('one process that drives several devices names them as PyTorch does', () => {
  const trace = makeTrace(
    [
      { kind: 'load', name: 'load', phase: 'data', writes: ['batch'] },
      { name: 'ops/copy', phase: 'scatter' },
      ...transfer([10, 11], 0, 1, {
        slice: slice('x', 0, 2),
        phase: 'scatter',
        payload: 'data',
        collective: { seq: 0, op: 'scatter', algorithm: 'direct' },
      }),
      ...transfer([12, 13], 1, 0, {
        slice: slice('0.weight.grad', 0, 4),
        phase: 'reduce',
        apply: 'add',
        collective: { seq: 3, op: 'reduce', algorithm: 'direct', summed: 2 },
      }),
      { name: 'optim/sgd', phase: 'step', module: '', reads: ['0.weight', '0.weight.grad'], writes: ['0.weight'] },
    ],
    { samples: [[4, 9], [7]] },
  );
  expect(said(trace)).toEqual([
    'cuda:0 loads the whole batch of 3 samples from the DataLoader',
    'Scatter: cuda:0 keeps the first chunk of the batch',
    'Scatter: cuda:0 sends 1 sample to cuda:1',
    'Scatter: cuda:1 receives 1 sample from cuda:0',
    'Backward: cuda:1 sends 0.weight.grad to cuda:0',
    'Backward: cuda:0 adds 0.weight.grad from cuda:1: now the sum of 2 of 2 replicas',
    'optimizer.step(): cuda:0 updates its 1 parameter',
  ]);
  expect([sentenceOf(trace, -1, 'modelled'), sentenceOf(trace, 7, 'modelled')]).toEqual([
    'Step 4 is about to begin',
    'Step 4 is done',
  ]);
});

test('tensors that are sent as one flat tensor', () => {
  const names = ['0.weight', '0.bias'];
  const flat = 'flat.parameters.0';
  const gradients = 'flat.gradients.0';
  const trace = makeTrace([
    { name: 'comm/flatten', phase: 'replicate', module: '', reads: names, writes: [flat] },
    ...transfer([10, 11], 0, 1, {
      slice: slice(flat, 0, 6),
      phase: 'replicate',
      payload: 'parameter',
      collective: { seq: 1, op: 'broadcast', algorithm: 'direct' },
    }),
    { name: 'comm/unflatten', device: 1, phase: 'replicate', module: '', reads: [flat], writes: names },
    { name: 'comm/flatten', device: 1, phase: 'reduce', module: '', reads: names, writes: [gradients] },
    ...transfer([12, 13], 1, 0, {
      slice: slice(gradients, 0, 6),
      phase: 'reduce',
      apply: 'add',
      collective: { seq: 3, op: 'reduce', algorithm: 'direct', summed: 2 },
    }),
    { name: 'comm/unflatten', phase: 'reduce', module: '', reads: [gradients], writes: names },
  ]);
  expect(said(trace)).toEqual([
    'Replicate: cuda:0 copies its 2 parameters into one flat tensor',
    'Replicate: cuda:0 sends 2 parameters as one flat tensor to cuda:1',
    'Replicate: cuda:1 receives 2 parameters as one flat tensor from cuda:0',
    'Replicate: cuda:1 has its 2 parameters as views of the flat tensor',
    'Backward: cuda:1 copies its 2 gradients into one flat tensor',
    'Backward: cuda:1 sends 2 gradients as one flat tensor to cuda:0',
    'Backward: cuda:0 adds 2 gradients as one flat tensor from cuda:1: now the sum of 2 of 2 replicas',
    'Backward: cuda:0 has the sums of 2 gradients as views of the flat tensor',
  ]);
});

test('what comes before the step: gradients that add up, their norm, the clipping', () => {
  const gradients = ['0.weight.grad', '0.bias.grad'];
  const trace = makeTrace([
    { name: 'optim/accumulate-grad', phase: 'backward', module: '0', reads: ['fresh'], writes: gradients },
    { name: 'optim/grad-norm', phase: 'step', module: '', reads: gradients, writes: ['grad_norm.own'] },
    { name: 'ops/copy', phase: 'step', module: '', reads: ['grad_norm.own'], writes: ['grad_norms'] },
    ...transfer([7, 8], 1, 0, { slice: slice('grad_norm.own', 0, 1), phase: 'step', payload: 'gradient' }),
    { name: 'optim/grad-norm', phase: 'step', module: '', reads: ['grad_norms'], writes: ['grad_norm'] },
    { name: 'optim/clip-grad-norm', phase: 'step', module: '', reads: ['grad_norm', ...gradients], writes: gradients },
    { name: 'optim/clip-grad-value', phase: 'step', module: '', reads: gradients, writes: gradients },
  ]);
  expect(said(trace)).toEqual([
    'Backward: cuda:0 adds 2 gradients to the gradients of earlier micro-batches in .grad',
    'clip_grad_norm_(): cuda:0 computes the norm of its 2 gradients',
    'clip_grad_norm_(): cuda:0 puts its own norm next to the norms of the others',
    "clip_grad_norm_(): cuda:1 sends the norm of one device's gradients to cuda:0",
    "clip_grad_norm_(): cuda:0 receives the norm of one device's gradients from cuda:1",
    'clip_grad_norm_(): cuda:0 joins the norms of all devices into one',
    'clip_grad_norm_(): cuda:0 multiplies its 2 gradients by min(1, max_norm / (total norm + 1e-6))',
    'clip_grad_value_(): cuda:0 limits every element of its 2 gradients to [-clip_value, clip_value]',
  ]);
});

test('the text form has one line per event, and no times', () => {
  const trace = makeTrace([
    { kind: 'load', name: 'load', phase: 'data', module: '', anchor: 'to_device', writes: ['x'], bytes: 48 },
    { reads: ['x', '0.weight'], writes: ['0.out'], flops: 192, deps: [0] },
    ...transfer([2, 3], 0, 1, {
      slice: slice('0.out', 0, 4),
      payload: 'activation',
      module: '',
      anchor: 'send_activation',
    }),
  ]);
  expect(printTrace(trace)).toMatchInlineSnapshot(`
    "step 3 of epoch 0, program full; samples: 
    #0    rank 0 cuda:0  compute load                   x <- host  data, 48 B, 0 flop (line to_device)
    #1    rank 0 cuda:0  compute ops/linear             x 0.weight -> 0.out  forward, 0 B, 192 flop (module 0, line forward, after #0)
    #2    rank 0 cuda:0  comm    send                   0.out[0:4] -> cuda:1 activation  forward, 16 B, 0 flop (line send_activation)
    #3    rank 0 cuda:1  comm    recv                   0.out[0:4] <- cuda:0 activation put  forward, 16 B, 0 flop (line send_activation, after #2)"
  `);
  const slower = { ...trace, events: trace.events.map((e) => ({ ...e, startUs: 7 * e.startUs, durUs: 5 })) };
  expect(printTrace(slower)).toBe(printTrace(trace));
});

test('layers of a convolutional net and of a transformer are named by their kind', () => {
  const of = (name: string, module: string, more: Partial<EventSketch> = {}): EventSketch => ({
    name,
    module,
    phase: 'forward',
    ...more,
  });
  const trace = makeTrace([
    of('conv/conv2d', '0'),
    of('norm/batch-norm-stats', '1'),
    of('conv/max-pool2d', '3'),
    of('attention/self-attention', 'blocks.0'),
    of('ops/linear', 'blocks.0.fc1'),
    of('ops/add', ''),
    of('conv/conv2d-grad-params', '4', { phase: 'backward', writes: ['4.weight.grad', '4.bias.grad'] }),
    of('attention/self-attention-grad', 'blocks.1', { phase: 'backward', writes: ['blocks.1.qkv.out.grad'] }),
    of('ops/gelu', 'blocks.0.gelu', { phase: 'backward', writes: ['blocks.0.gelu.out.again'] }),
    of('loss/cross-entropy-grad', '', { phase: 'backward', writes: ['9.out.grad'] }),
  ]);
  expect(said(trace)).toEqual([
    'Forward: cuda:0 computes layer 0 (convolution)',
    'Forward: cuda:0 computes layer 1 (batch norm statistics)',
    'Forward: cuda:0 computes layer 3 (max pooling)',
    'Forward: cuda:0 computes blocks.0 (attention)',
    'Forward: cuda:0 computes blocks.0.fc1 (Linear)',
    'Forward: cuda:0 computes the sum',
    'Backward: cuda:0 computes the weight and bias gradients of layer 4 (convolution)',
    'Backward: cuda:0 passes the gradient back through blocks.1 (attention)',
    'Backward: cuda:0 computes blocks.0.gelu (GELU) again, because its output was not kept',
    'Backward: cuda:0 begins with the gradient of CrossEntropyLoss',
  ]);
});
