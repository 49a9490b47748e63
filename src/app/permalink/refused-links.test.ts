/** What a link says that cannot be used: the default applies, the link keeps the value, a notice names the setting. */
import { describe, expect, it } from 'vitest';
import { PAGE_CONFIG } from '../edit/page-config';
import { parsePermalink } from './permalink';
import { printPermalink } from './print-permalink';

describe('a link that cannot be used as it is', () => {
  it.each([
    ['world=99', 'world=99', 'from 1 to 64'],
    ['lr=fast', 'lr=fast', 'from 0 to 100'],
    ['mode=fsdp', 'mode=fsdp', 'single, dp, ddp, mp'],
    ['data=mnist', 'data=mnist', 'spiral'],
    ['layers=2-0-1', 'layers=2-0-1', 'from 1 to 8192'],
    ['momentum=0.9', 'momentum=0.9', 'no such setting with Adam'],
    ['colour=red', 'colour=red', 'no such setting'],
    ['bucket=huge', 'bucket=huge', 'MiB'],
    ['preset=resnet', 'preset=resnet', 'mlp, deepMlp, wideMlp, cnn, gpt'],
    ['model=conv8k', 'model=conv8k', 'conv8k3p1'],
    ['sched=StepLR(step', 'sched=StepLR(step', 'StepLR(stepSize:100)'],
    ['sched=StepLR(gamma:2)', 'sched=StepLR(gamma:2)', 'StepLR(stepSize:100)'],
    ['channels=8-16', 'channels=8-16', 'for data of images'],
    ['loss=hinge', 'loss=hinge', 'mse, ce, bce'],
    ['theme=pink', 'theme=pink', 'light, dark'],
    ['hide=stage,moon', 'hide=moon', 'timeline'],
  ])('%s: default used, value kept, notice says which and what is allowed', (hash, named, allowed) => {
    const link = parsePermalink(`#${hash}`);
    expect(link.config).toEqual(PAGE_CONFIG);
    expect(link.notices).toHaveLength(1);
    expect(link.notices[0]?.text).toContain(named);
    expect(link.notices[0]?.text).toContain(allowed);
    expect(printPermalink(link.config, link.view, link.kept)).toContain(hash);
  });

  it.each([
    ['world=99', 'The link says world=99, but worldSize must be a whole number from 1 to 64.'],
    ['worldSize=99', 'The link says world=99, but worldSize must be a whole number from 1 to 64.'],
    ['bucket=huge', 'bucket=huge, but ddp.bucketCapMb must be '],
    ['layers=2-0-1', 'layers=2-0-1, but model.layers must be '],
    ['data=mnist', 'data=mnist, but data.type must be '],
    ['mode=pipeline&world=8&pp=4', 'world=8 (worldSize), but the mesh of '],
    ['dp=1&dp=2', 'dp (mesh.dpReplicate) twice: '],
    ['seed=x', 'seed=x, but seed must be '],
    ['theme=pink', 'theme=pink, but theme must be '],
    ['colour=red', 'colour=red, but there is no such setting.'],
  ])(
    '%s: a notice is a whole sentence with the key of the link and the name of the setting in configurations',
    (hash, named) => {
      expect(parsePermalink(`#${hash}`).notices[0]?.text).toContain(named);
    },
  );

  it('uses the valid values of a link that has an invalid one', () => {
    const link = parsePermalink('#world=99&lr=0.5&batch=16&data=xor&noise=7&samples=40');
    expect(link.config).toMatchObject({
      worldSize: PAGE_CONFIG.worldSize,
      optimizer: { lr: 0.5 },
      batchSize: 16,
      data: { type: 'xor', samples: 40 },
    });
    expect(link.kept).toEqual([
      ['noise', '7'],
      ['world', '99'],
    ]);
  });

  it('says that the world size differs from the mesh, which counts', () => {
    const { config, kept, notices } = parsePermalink('#mode=pipeline&world=8&pp=4');
    expect(config.worldSize).toBe(4);
    expect(kept).toEqual([['world', '8']]);
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('the mesh of pp 4 and dp 1 has 4 ranks')]);
    expect(parsePermalink('#mode=pipeline&world=8&pp=4&dp=2').notices).toEqual([]);
  });

  it('drops a kept value when the setting gets a valid one', () => {
    const link = parsePermalink('#world=99');
    expect(printPermalink({ ...link.config, worldSize: 2 }, link.view, link.kept)).toBe('seed=0&world=2');
  });

  it('the name of a hook or a schedule stands for it with its defaults; another one is answered with the names', () => {
    expect(parsePermalink('#hook=powerSGD').config.ddp.commHook).toMatchObject({ type: 'powerSGD' });
    const { config, notices } = parsePermalink('#sched=steps&hook=powersgd');
    expect(config.ddp.commHook).toEqual({ type: 'allreduce' });
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The link says sched=steps, but scheduler must be one of StepLR, /),
      expect.stringMatching(/^The link says hook=powersgd, but ddp\.commHook must be one of allreduce, .*powerSGD, /),
    ]);
  });
});
