/** The lines of scripts in half precision. */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { parseConfig } from '../../config/parse-config';
import { singleListing } from '../../parallel/single/listing';
import type { ConfigInput } from '../../protocol/config';

const printed = (config: ConfigInput): string =>
  singleListing(parseConfig({ mode: 'single', ...config }))
    .map(({ text }) => text)
    .join('\n');

const inOrder = (script: string, lines: readonly string[]): void => {
  const places = lines.map((line) => script.indexOf(line));
  expect(places, script).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
};

test('a float32 master: the copy computes, the master is clipped and stepped', place({ modes: ['single'] }), () => {
  inOrder(printed({ precision: 'bf16-master', clipGradNorm: 1 }), [
    'import copy',
    'low = copy.deepcopy(model).to(torch.bfloat16)',
    'torch.optim.SGD(model.parameters()',
    'output = low(x.to(torch.bfloat16)).float()',
    'loss.backward()',
    'for master, own in zip(model.parameters(), low.parameters()):',
    'master.grad, own.grad = own.grad.float(), None',
    'clip_grad_norm_(model.parameters()',
    'optimizer.step()',
    'own.copy_(master)',
  ]);
  expect(printed({ precision: 'fp16-master' })).toContain('output = low(x.to(torch.float16)).float()');
});

test('a float32 master takes the running statistics of the copy', place({ modes: ['single'] }), () => {
  const layers: ConfigInput['model'] = {
    layers: [
      { type: 'Linear', in: 2, out: 3 },
      { type: 'BatchNorm1d', features: 3 },
      { type: 'Linear', in: 3, out: 1 },
    ],
  };
  inOrder(printed({ precision: 'bf16-master', model: layers }), [
    'optimizer.step()',
    'own.copy_(master)',
    'for master, own in zip(model.buffers(), low.buffers()):',
    'master.copy_(own)',
  ]);
  expect(printed({ precision: 'bf16-master' })).not.toContain('buffers()');
});

test('bfloat16 alone: the model and what the optimiser steps', place({ modes: ['single'] }), () => {
  const script = printed({ precision: 'bf16' });
  inOrder(script, ['model.to(torch.bfloat16)', 'torch.optim.SGD(', 'output = model(x.to(torch.bfloat16)).float()']);
  expect(script).not.toContain('copy');
});

test('a model of text takes its tokens as they are', place({ modes: ['single'] }), () => {
  const script = printed({
    precision: 'bf16',
    data: { type: 'text' },
    model: {
      layers: [
        { type: 'TokenEmbedding', vocab: 38, context: 32, width: 8 },
        { type: 'Linear', in: 8, out: 38 },
      ],
    },
    loss: { type: 'CrossEntropyLoss' },
  });
  expect(script).toContain('output = model(x).float()');
});

test('float32 and autocast leave the call alone', place({ modes: ['single'] }), () => {
  expect(printed({})).toContain('output = model(x)\n');
  expect(printed({ precision: 'autocast-bf16' })).toContain('    output = model(x)\n');
});
