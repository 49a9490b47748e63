import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type Config, configSchema } from '../../protocol/config';
import { OPENING_CONFIG, PAGE_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS, PRESET_NAMES } from '../edit/page-presets';
import { parseAddress, parsePermalink } from './permalink';
import { DEFAULT_VIEW } from './permalink-view';
import { printPermalink } from './print-permalink';
import { anyConfig, anyView } from './testing/any-run';

describe('permalink', () => {
  it('restores every configuration', () => {
    void fc.assert(
      fc.property(anyConfig, anyView, (wanted, wantedView) => {
        const link = parsePermalink(`#${printPermalink(wanted, wantedView, [])}`);
        expect(link.notices).toEqual([]);
        expect(link.config).toEqual(wanted);
        expect(link.view).toEqual(wantedView);
      }),
      { numRuns: 500 },
    );
  });

  it('contains only the seed for the default run', () => {
    expect(printPermalink(PAGE_CONFIG, DEFAULT_VIEW, [])).toBe('seed=0');
    expect(parsePermalink('').config).toEqual(PAGE_CONFIG);
  });

  it('without a link the page opens its own run, whose link names the differences', () => {
    expect(parseAddress('').config).toEqual(OPENING_CONFIG);
    expect(printPermalink(OPENING_CONFIG, DEFAULT_VIEW, [])).toBe('seed=0&hardware=transputer');
    expect(parseAddress('#seed=0').config).toEqual(PAGE_CONFIG);
  });

  it('names a preset and what was changed in it', () => {
    const hashOf = (config: Config) => printPermalink(config, DEFAULT_VIEW, []);
    expect(PRESET_NAMES.map((name) => hashOf(PAGE_PRESETS[name]))).toEqual([
      'seed=0',
      'seed=0&preset=deepMlp',
      'seed=0&preset=wideMlp',
      'seed=0&preset=cnn',
      'seed=0&preset=gpt',
    ]);
    const { config: wider } = parsePermalink('#preset=cnn&channels=4-12&batch=32&fuse=1');
    expect(wider.model.layers.map(({ type }) => type)).toEqual(PAGE_PRESETS.cnn.model.layers.map(({ type }) => type));
    expect(hashOf(wider)).toBe('seed=0&preset=cnn&batch=32&fuse=1&channels=4-12');
    expect(hashOf(parsePermalink('#preset=gpt&gpt=4-4-32&context=16').config)).toBe(
      'seed=0&preset=gpt&context=16&gpt=4-4-32',
    );
  });

  it('writes any other model layer by layer, without the sizes that follow', () => {
    const text = 'conv8k3p1-bn-relu-pool2-res(conv8k3p1-bn!conv8k1)-relu-adaptivepool1-flatten-linear10';
    const { config: read, notices } = parsePermalink(`#preset=cnn&model=${text}`);
    expect(notices).toEqual([]);
    expect(read.model.layers[0]).toMatchObject({ type: 'Conv2d', in: 1, out: 8 });
    expect(read.model.layers.at(-1)).toMatchObject({ type: 'Linear', in: 8, out: 10 });
    expect(printPermalink(read, DEFAULT_VIEW, [])).toBe(`seed=0&preset=cnn&model=${text}`);
  });

  it('understands links from before', () => {
    const { config: read, notices } = parsePermalink('#model=Linear(2,8),ReLU,Linear(8,1,nobias),GELU(tanh)');
    expect(notices).toEqual([]);
    expect(read.model.layers).toMatchObject([
      { type: 'Linear', in: 2, out: 8, bias: true },
      { type: 'ReLU' },
      { type: 'Linear', in: 8, out: 1, bias: false },
      { type: 'GELU', approximate: 'tanh' },
    ]);
  });

  it('writes a schedule of one’s own row by row', () => {
    const hash = 'mode=pipeline&pp=2&microBatches=2&pipeline=own&actions=0F0,0F1,0B0,0B1~1F0,1B0,1F1,1B1';
    const { config, notices } = parsePermalink(hash);
    expect(notices).toEqual([]);
    expect(config.pipeline).toMatchObject({ schedule: 'own', actions: '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1' });
    expect(printPermalink(config, DEFAULT_VIEW, [])).toContain('&actions=0F0,0F1,0B0,0B1~1F0,1B0,1F1,1B1');
    const texts = fc.stringMatching(/^[01FBIW,~'\n();]{1,30}$/);
    void fc.assert(
      fc.property(fc.oneof(texts, fc.constantFrom('none', "'none'", '~', '\n')), (actions) => {
        const own = v.parse(configSchema, { ...config, pipeline: { ...config.pipeline, actions } });
        const back = parsePermalink(printPermalink(own, DEFAULT_VIEW, []));
        expect(back.config.pipeline.actions).toBe(actions);
      }),
    );
  });

  it('is readable', () => {
    const { config: read } = parsePermalink('#seed=7&mode=mp&world=3&layers=2-4-4-1&act=relu&opt=sgd&lr=0.03');
    expect(printPermalink(read, DEFAULT_VIEW, [])).toBe(
      'seed=7&opt=sgd&mode=mp&world=3&lr=0.03&layers=2-4-4-1&act=relu',
    );
  });

  it('reads half a pair of UTF-16 as the replacement character that is written back', () => {
    const { config, view, kept } = parsePermalink('#resume=a\ud800');
    expect(config.resume).toBe('a\ufffd');
    expect(parsePermalink(`#${printPermalink(config, view, kept)}`).config).toEqual(config);
  });

  it('understands the names of the Config', () => {
    expect(parsePermalink('#mode=dataParallel&worldSize=2').config).toMatchObject({
      mode: 'dataParallel',
      worldSize: 2,
    });
    expect(parsePermalink('#paramGroups=!((match:bias,lr:0))').config.paramGroups).toHaveLength(1);
  });
});
