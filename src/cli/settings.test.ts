/**
 * Words on the command line become the intended settings; unknown words stay unchanged, so that the session refuses
 * them by name.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse-config';
import { readRun } from './read-run';
import { type GivenSetting, withSettings } from './settings';
import { PRESET_NAMES, presetNamed } from './spoken-names';
import { parseCommand } from './usage';

function settings(...texts: readonly string[]): readonly GivenSetting[] {
  const command = parseCommand(['train', ...texts.flatMap((text) => ['--set', text])]);
  return command.name === 'train' ? (command.options.settings ?? []) : [];
}
const configOf = (...texts: readonly string[]) => withSettings({}, settings(...texts));

describe('--set', () => {
  it.each([
    ['steps=20', { steps: 20 }],
    ['shuffle=false', { shuffle: false }],
    ['visibleDevices=[1,0]', { visibleDevices: [1, 0] }],
    ['weights=my weights.safetensors', { weights: 'my weights.safetensors' }],
    ['data={"type":"text","text":"a=b"}', { data: { type: 'text', text: 'a=b' } }],
    ['batch_size=64', { batchSize: 64 }],
    ['ddp.bucket_cap_mb=0.5', { ddp: expect.objectContaining({ bucketCapMb: 0.5 }) }],
    ['optimizer=Adam', { optimizer: { type: 'Adam' } }],
    ['optimizer=adamw', { optimizer: { type: 'AdamW' } }],
    ['clip_grad_norm_type=inf', { clipGradNormType: 'inf' }],
    ['clipGradNormType=1', { clipGradNormType: 1 }],
    ['clipGradValue=0.5', { clipGradValue: 0.5 }],
    ['loss=mse_loss', { loss: { type: 'MSELoss' } }],
    ['data=Gaussians', { data: { type: 'gauss' } }],
    ['data.type=Exclusive or', { data: { type: 'xor' } }],
    ['ddp.algorithm=double_tree', { ddp: expect.objectContaining({ algorithm: 'doubleTree' }) }],
    ['scheduler={"type":"StepLR","stepSize":3}', { scheduler: { type: 'StepLR', stepSize: 3 } }],
    ['hardware=8 GPUs, NVLink', { hardware: 'nvlink8' }],
  ])('%s', (text, expected) => {
    const config = configOf(text);
    expect(config).toEqual(expected);
    expect(() => parseConfig(config)).not.toThrow();
  });

  it.each([
    ['ddp', ['DDP', 'ddp', 'DistributedDataParallel', 'distributed data parallel']],
    ['dataParallel', ['DataParallel', 'DP', 'data_parallel']],
    ['modelParallel', ['Model parallel', 'model', 'ModelParallel']],
    ['parameterServer', ['Parameter server', 'Server', 'parameter-server']],
    ['single', ['Single', 'One device']],
  ])('mode %s by the words of the page and of PyTorch', (mode, words) => {
    for (const word of words) expect(configOf(`mode=${word}`), word).toEqual({ mode });
  });

  it('changes one thing of an object: of the default, or of what is there', () => {
    expect(parseConfig(configOf('optimizer.lr=0.05')).optimizer).toMatchObject({
      type: 'SGD',
      lr: 0.05,
      momentum: 0.9,
    });
    const given = { optimizer: { type: 'Adam', beta1: 0.8 }, model: { layers: [{ type: 'Linear', in: 2, out: 1 }] } };
    const changed = withSettings(given, settings('optimizer.lr=0.01', 'model.layers.0.bias=false'));
    expect(changed['optimizer']).toEqual({ type: 'Adam', beta1: 0.8, lr: 0.01 });
    expect(changed['model']).toEqual({ layers: [{ type: 'Linear', in: 2, out: 1, bias: false }] });
  });

  it('a type resets its object, and is set first wherever it is given', () => {
    const config = withSettings(
      { optimizer: { type: 'SGD', momentum: 0.9 } },
      settings('optimizer.lr=0.01', 'optimizer.type=Adam'),
    );
    expect(config['optimizer']).toEqual({ type: 'Adam', lr: 0.01 });
  });

  it('epochs do not override the requested steps', () => {
    expect(withSettings({ epochs: 3 }, settings('steps=7'))).toEqual({ steps: 7 });
    expect(withSettings({}, settings('steps=7', 'epochs=2'))).toEqual({ steps: 7, epochs: 2 });
  });

  it.each([
    ['mode=dpp', 'mode must be one of'],
    ['seed=12345678901234567', '"12345678901234567"'],
    ['constructor=1', 'There is no setting constructor'],
    ['__proto__.steps=1', 'There is no setting __proto__'],
    ['toString.call=1', 'There is no setting toString'],
    ['clipGradNormType=max', 'clipGradNormType must be'],
    ['clipGradNormType=0', 'clipGradNormType must be'],
    ['clipGradValue=-1', 'clipGradValue must be'],
    ['steps.more=1', 'steps must be a number'],
  ])('%s is refused by name', (text, message) => {
    expect(() => parseConfig(configOf(text))).toThrow(message);
    expect(Object.hasOwn(Object.prototype, 'steps')).toBe(false);
  });

  it('a list cannot get new entries', () => {
    expect(() => configOf('model.layers.99.out=3')).toThrow('the list has 5 entries and no entry 99');
  });
});

describe('presets', () => {
  it.each([
    ['wide', 'wideMlp'],
    ['Wide MLP', 'wideMlp'],
    ['wide_mlp', 'wideMlp'],
    ['CNN with BatchNorm', 'cnn'],
    ['GPT', 'gpt'],
    ['GPT-2', 'gpt2'],
    ['gpt-2 small', 'gpt2'],
    ['mlp', 'mlp'],
    ['resnet', undefined],
    ['', undefined],
  ])('%s', (said, name) => expect(presetNamed(said)).toBe(name));

  it('are read from --set, and all names are known', async () => {
    const { config } = await readRun({
      preset: undefined,
      config: undefined,
      settings: settings('preset=wide', 'steps=3'),
    });
    expect(config).toMatchObject({ batchSize: 64, steps: 3, data: { type: 'digits' } });
    for (const name of PRESET_NAMES) expect(presetNamed(name)).toBe(name);
  });
});
