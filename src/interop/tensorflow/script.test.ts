/**
 * The TensorFlow script over modes, presets, layers, losses and optimisers: which strategy it takes, what it says of
 * the run, what it refuses, and that Python can read it where there is a python3. No test runs TensorFlow.
 */
import { spawnSync } from 'node:child_process';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { counterpartOf } from '../../parallel/strategies';
import { type Config, type ConfigInput, configSchema, MODES } from '../../protocol/config';
import type { LayerInput } from '../../protocol/config/layers';
import { PRESETS } from '../../protocol/presets';
import { tensorflowScript } from './script';

const config = (input: ConfigInput): Config => v.parse(configSchema, input);

function script(input: ConfigInput): string {
  const of = config(input);
  const counterpart = counterpartOf(of);
  if ('none' in counterpart) throw new Error(counterpart.none);
  return tensorflowScript(of, counterpart)
    .map(({ text }) => text)
    .join('\n');
}

const ASYNCHRONOUS: ConfigInput = { parameterServer: { synchronous: false } };
const WITH_STRATEGY = ['single', 'dataParallel', 'ddp', 'parameterServer'] as const;

const LAYERS: readonly (readonly [layer: LayerInput, text: string])[] = [
  [{ type: 'Linear', in: 4, out: 3, bias: false }, 'layers.Dense(3, use_bias=False)(x)'],
  [{ type: 'ReLU' }, 'layers.ReLU()(x)'],
  [{ type: 'Tanh' }, "layers.Activation('tanh')(x)"],
  [{ type: 'Sigmoid' }, "layers.Activation('sigmoid')(x)"],
  [{ type: 'GELU' }, 'layers.Activation(tf.nn.gelu)(x)'],
  [{ type: 'GELU', approximate: 'tanh' }, 'tf.nn.gelu(x, approximate=True)'],
  [{ type: 'LeakyReLU' }, 'layers.LeakyReLU(0.01)(x)'],
  [{ type: 'ELU' }, 'layers.ELU(1)(x)'],
  [{ type: 'SiLU' }, 'layers.Activation(tf.nn.silu)(x)'],
  [{ type: 'Softplus' }, "layers.Activation('softplus')(x)"],
  [{ type: 'Softmax' }, 'layers.Softmax()(x)'],
  [{ type: 'LogSoftmax' }, 'layers.Activation(tf.nn.log_softmax)(x)'],
  [{ type: 'Dropout', p: 0.2 }, 'layers.Dropout(0.2)(x)'],
  [{ type: 'Flatten' }, 'layers.Flatten()(x)'],
  [
    { type: 'Conv2d', in: 1, out: 8, kernel: 3, padding: 1 },
    'layers.ZeroPadding2D(1)(x)\n    x = layers.Conv2D(8, 3)(x)',
  ],
  [{ type: 'Conv2d', in: 1, out: 8, kernel: 3, padding: 'same' }, "layers.Conv2D(8, 3, padding='same')(x)"],
  [{ type: 'LayerNorm', features: 4, bias: false }, 'epsilon=0.00001, center=False)(x)'],
  [{ type: 'MaxPool2d', kernel: 2 }, 'layers.MaxPooling2D(2)(x)'],
  [{ type: 'AvgPool2d', kernel: [2, 3], stride: 1 }, 'layers.AveragePooling2D((2, 3), strides=1)(x)'],
  [{ type: 'AdaptiveAvgPool2d', output: 1 }, 'layers.GlobalAveragePooling2D(keepdims=True)(x)'],
  [{ type: 'BatchNorm1d', features: 4 }, 'layers.BatchNormalization(momentum=0.9, epsilon=0.00001)(x)'],
  [{ type: 'BatchNorm2d', features: 4, momentum: 0.3 }, 'layers.BatchNormalization(momentum=0.7, epsilon=0.00001)(x)'],
  [{ type: 'LayerNorm', features: 4, affine: false }, 'epsilon=0.00001, center=False, scale=False)(x)'],
  [{ type: 'GroupNorm', groups: 2, channels: 4 }, 'layers.GroupNormalization(2, epsilon=0.00001)(x)'],
  [{ type: 'Embedding', vocab: 9, width: 4 }, 'layers.Embedding(9, 4)(x)'],
  [{ type: 'TokenEmbedding', vocab: 9, context: 5, width: 4 }, 'x = TokenEmbedding(9, 5, 4)(x)'],
  [
    { type: 'MultiheadAttention', width: 8, heads: 2, causal: true },
    'layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True)',
  ],
  [{ type: 'TransformerBlock', width: 8, heads: 2, causal: false }, 'x = block(x, 8, 2, causal=False)'],
  [
    { type: 'Residual', layers: [{ type: 'ReLU' }], shortcut: [{ type: 'Tanh' }] },
    "kept0 = x\n    x = layers.ReLU()(x)\n    branch0 = x\n    x = kept0\n    x = layers.Activation('tanh')(x)\n    kept0 = x\n    x = layers.Add()([branch0, kept0])",
  ],
  [{ type: 'Unused', layers: [{ type: 'ReLU' }] }, '# a layer that is never called'],
];

const REFUSED: readonly (readonly [input: ConfigInput, name: string])[] = [
  [{ model: { layers: [{ type: 'Linear', in: 2, out: 2, tied: '0.weight' }] } }, 'tied: 0.weight'],
  [{ model: { layers: [{ type: 'AdaptiveAvgPool2d', output: [2, 3] }] } }, 'AdaptiveAvgPool2d((2, 3))'],
  [{ model: { layers: [{ type: 'MaxPool2d', kernel: 3, padding: 1 }] } }, 'MaxPool2d with padding'],
  [{ model: { layers: [{ type: 'MaxPool2d', kernel: 3, ceilMode: true }] } }, 'MaxPool2d with ceilMode'],
  [
    { model: { layers: [{ type: 'AvgPool2d', kernel: 3, padding: 1, countIncludePad: false }] } },
    'AvgPool2d with countIncludePad',
  ],
  [{ loss: { type: 'MSELoss', reduction: 'sum' } }, 'reduction sum'],
  [{ loss: { type: 'NLLLoss' } }, 'NLLLoss'],
  [{ loss: { type: 'BCEWithLogitsLoss', posWeight: [2] } }, 'posWeight'],
  [{ optimizer: { type: 'RAdam' } }, 'RAdam'],
  [{ optimizer: { type: 'SGD', maximize: true } }, 'maximize'],
  [{ scheduler: { type: 'LinearLR' } }, 'LinearLR'],
];

describe('the TensorFlow script', () => {
  it('uses the strategy of the mode', () => {
    expect(script({})).toContain("tf.distribute.OneDeviceStrategy('/gpu:0')");
    expect(script({ mode: 'dataParallel', worldSize: 2 })).toContain("MirroredStrategy(['/gpu:0', '/gpu:1'])");
    const shared = script({ mode: 'ddp', worldSize: 3 });
    expect(shared).toContain('tf.distribute.MirroredStrategy(');
    expect(shared).toContain('batch_size = 30  # of all replicas together');
    const nodes = script({ mode: 'ddp', nodes: 2 });
    expect(nodes).toContain('tf.distribute.MultiWorkerMirroredStrategy()');
    expect(nodes).toContain('"worker": ["node0:2222", "node1:2222"]');
    const served = script({ ...ASYNCHRONOUS, mode: 'parameterServer', steps: 7 });
    expect(served).toContain('tf.distribute.ParameterServerStrategy(resolver)');
    expect(served).toContain('batch_size = 11  # of one worker');
    expect(served).toContain('for _ in range(steps * 3)]');
  });

  it.each(['modelParallel', 'pipeline', 'tensor', 'parameterServer'] as const)('%s has none, and says why', (mode) => {
    const found = counterpartOf(config({ mode }));
    expect('none' in found && found.none).toMatch(/^Tensor[Ff]low 2's ParameterServer|^tf\.distribute has replicas/);
  });

  it('has a row for every mode', () => {
    expect(MODES.filter((mode) => 'strategy' in counterpartOf(config({ ...ASYNCHRONOUS, mode })))).toEqual(
      WITH_STRATEGY,
    );
  });

  it.each(LAYERS)('writes %o', (layer, text) => {
    expect(script({ model: { layers: [layer] } })).toContain(text);
  });

  it('has every type of layer in that list', () => {
    const seen = new Set(LAYERS.map(([{ type }]) => type));
    expect(seen.size).toBe(27);
  });

  it.each(REFUSED)('refuses %o by its name', (input, name) => {
    expect(() => script(input)).toThrow(name);
  });

  it('gives decoupled weight decay of Adam and NAdam to Keras, whose weight_decay is the decoupled one', () => {
    for (const type of ['Adam', 'NAdam'] as const) {
      const text = script({ optimizer: { type, weightDecay: 0.05, decoupledWeightDecay: true } });
      expect(text).toContain('weight_decay=0.05');
      expect(text).not.toContain('penalized');
    }
  });

  it("adds torch's weight decay to the gradient, and gives AdamW its own", () => {
    expect(script({ optimizer: { type: 'SGD', weightDecay: 0.01 } })).toContain('scale_regularization_loss(0.01 *');
    const adamw = script({ optimizer: { type: 'AdamW', weightDecay: 0.05 } });
    expect(adamw).toContain('weight_decay=0.05');
    expect(adamw).not.toContain('penalized');
  });

  it('synchronizes batch norm where DDP does', () => {
    const model = { layers: [{ type: 'BatchNorm1d', features: 2 } as const] };
    expect(script({ mode: 'ddp', model, ddp: { syncBatchNorm: true } })).toContain(', synchronized=True)(x)');
    expect(script({ mode: 'ddp', model })).not.toContain(', synchronized=True)(x)');
  });

  it('is Python', (context) => {
    const presets = Object.values(PRESETS).flatMap((preset) =>
      WITH_STRATEGY.flatMap((mode) =>
        [{ nodes: 1 }, { nodes: 2, epochs: 2 }].map((more) =>
          script({ ...preset.config, ...ASYNCHRONOUS, mode, ...more }),
        ),
      ),
    );
    const all = [...presets, ...LAYERS.map(([layer]) => script({ model: { layers: [layer] } }))];
    const reader =
      'import json, sys\nfor text in json.load(sys.stdin): compile(text, "train.py", "exec")\nprint("read")';
    const python = spawnSync('python3', ['-c', reader], { input: JSON.stringify(all), encoding: 'utf8' });
    if (python.error) context.annotate('no python3 here: whether the scripts are Python was not looked at');
    else expect(`${python.stdout}${python.stderr}`).toBe('read\n');
  });
});
