import { describe, expect, it } from 'vitest';
import type { Config } from '../../protocol/config';
import { netSizes as sizesOf } from '../model/families';
import { withLossType } from '../model/fit-model';
import { parseNumber } from '../permalink/permalink-codecs';
import { EVERY_SETTING } from '../setup/testing/every-setting';
import { withOptimizer, withSetting, withText } from './edit-config';
import { withData, withLoss as withLossOf } from './edit-data';
import { withActivation, withHiddenLayers, withUnits } from './edit-layers';
import { plainNet } from './edit-model';
import { withSplit } from './edit-split';
import { PAGE_CONFIG } from './page-config';
import { readSetting } from './setting-ranges';

const netSizes = ({ model }: Config) => sizesOf(model.layers);
const withLoss = (config: Config, type: Config['loss']['type']) =>
  withLossOf(config, withLossType(config.loss, type), undefined);
const hidden = plainNet(PAGE_CONFIG)?.sizes.slice(1, -1) ?? [];

describe('edit-config', () => {
  it('fits the ends of the net and the loss to the data, and keeps what is between', () => {
    const plane = withData(PAGE_CONFIG, 'plane');
    expect(plane.loss.type).toBe('MSELoss');
    const regression = withData(plane, 'randomRegression');
    expect(netSizes(regression)).toEqual([10, ...hidden, 1]);
    expect(netSizes(withData(regression, 'xor'))).toEqual([2, ...hidden, 1]);
    expect(withData(regression, 'xor').loss.type).toBe('BCEWithLogitsLoss');
  });

  it('keeps noise, samples and split between the toys', () => {
    const noisy = withSetting(PAGE_CONFIG, ['data', 'noise'], 0.3);
    expect(noisy.ok && withData(noisy.config, 'gauss').data).toMatchObject({
      type: 'gauss',
      noise: 0.3,
      testFraction: 0.2,
    });
  });

  it('gives two outputs to cross-entropy over two classes', () => {
    expect(netSizes(withLoss(PAGE_CONFIG, 'CrossEntropyLoss'))?.at(-1)).toBe(2);
    expect(netSizes(withLoss(withLoss(PAGE_CONFIG, 'CrossEntropyLoss'), 'BCEWithLogitsLoss'))?.at(-1)).toBe(1);
  });

  it('accepts an empty field only for settings that are optional', () => {
    const emptied = EVERY_SETTING.map((place) => place.split('.')).flatMap((path) => {
      const edit = withText(PAGE_CONFIG, path, '', parseNumber);
      return edit.ok ? [[path.join('.'), readSetting(edit.config, path)]] : [];
    });
    expect(emptied).toContainEqual(['clipGradNorm', undefined]);
    expect(emptied.filter(([, value]) => value !== undefined)).toEqual([]);
    expect(withText(PAGE_CONFIG, ['batchSize'], '', parseNumber)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^must be /),
    });
  });

  it('refuses values that do not fit, and says which are allowed', () => {
    expect(withSetting(PAGE_CONFIG, ['worldSize'], 65)).toEqual({
      ok: false,
      problem: 'must be a whole number from 1 to 64',
    });
    expect(withUnits(PAGE_CONFIG, 1, 0)).toMatchObject({ ok: false });
    expect(withSplit(PAGE_CONFIG, [1, 1])).toMatchObject({ ok: false });
    expect(withSetting(PAGE_CONFIG, ['optimizer', 'momentum'], 0.9)).toMatchObject({ ok: false });
  });

  it('removes an optional setting', () => {
    const edit = withSetting(PAGE_CONFIG, ['ddp', 'bucketCapMb'], undefined);
    expect(edit.ok && 'bucketCapMb' in edit.config.ddp).toBe(false);
  });

  it('adds hidden layers, and removes them down to none', () => {
    const more = withHiddenLayers(PAGE_CONFIG, 1);
    expect(more.ok && netSizes(more.config)).toEqual([2, ...hidden, hidden.at(-1), 1]);
    let config = PAGE_CONFIG;
    for (const _ of hidden) {
      const less = withHiddenLayers(config, -1);
      config = less.ok ? less.config : config;
    }
    expect(netSizes(config)).toEqual([2, 1]);
    expect(withHiddenLayers(config, -1).ok).toBe(false);
    expect(withHiddenLayers(config, 1).ok).toBe(true);
  });

  it('forgets a split that no longer fits the net', () => {
    const layers = PAGE_CONFIG.model.layers.length;
    const split = withSplit(PAGE_CONFIG, [1, layers - 1]);
    const more = split.ok ? withHiddenLayers(split.config, 1) : split;
    expect(split.ok).toBe(true);
    expect(more.ok && more.config.modelParallel.split).toBe(undefined);
    const relu = split.ok ? withActivation(split.config, 'relu') : split;
    expect(relu.ok && relu.config.modelParallel.split).toEqual([1, layers - 1]);
  });

  it("gives an optimiser PyTorch's defaults", () => {
    expect(withOptimizer(PAGE_CONFIG, 'AdamW').optimizer).toMatchObject({
      type: 'AdamW',
      weightDecay: 0.01,
      lr: 0.001,
    });
  });
});
