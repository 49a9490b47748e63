import { describe, expect, it } from 'vitest';
import { withOptimizer } from '../edit/edit-config';
import { OPENING_CONFIG } from '../edit/page-config';
import { PAGE_PRESETS } from '../edit/page-presets';
import { parsePermalink } from '../permalink/permalink';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { printPermalink } from '../permalink/print-permalink';
import { parseBeside, printBeside } from './beside-link';
import { suggestionsFor } from './suggestions';

const RUNS = [
  OPENING_CONFIG,
  ...Object.values(PAGE_PRESETS),
  parsePermalink('#mode=single&device=cpu').config,
  parsePermalink('#mode=ddp&precision=autocast-fp16&scaler=1').config,
];

describe('the second run in the link', () => {
  it('contains only what differs, in the words of a permalink', () => {
    const [first] = suggestionsFor(OPENING_CONFIG);
    expect(first && printBeside(OPENING_CONFIG, first.config)).toBe('mode:single');
    expect(printBeside(OPENING_CONFIG, { ...OPENING_CONFIG, ddp: { ...OPENING_CONFIG.ddp, bucketCapMb: 25 } })).toBe(
      'bucket:25MiB',
    );
  });

  it('brings every suggestion back, for every preset', () => {
    for (const run of RUNS) {
      for (const { config, words } of suggestionsFor(run)) {
        const { config: read, notices } = parseBeside(run, printBeside(run, config));
        expect(notices, words).toEqual([]);
        expect(read, words).toEqual(config);
      }
    }
  });

  it('restores a completely different run', () => {
    for (const run of RUNS)
      for (const other of RUNS) expect(parseBeside(run, printBeside(run, other)).config).toEqual(other);
  });

  it('survives inside a permalink, with names that contain commas', () => {
    const run = withOptimizer(OPENING_CONFIG, 'SGD');
    const beside = { ...run, weights: 'a,b:c=d&e %.safetensors' };
    const hash = printPermalink(run, { ...DEFAULT_VIEW, beside: printBeside(run, beside) }, []);
    const link = parsePermalink(`#${hash}`);
    expect(link.notices).toEqual([]);
    expect(parseBeside(link.config, link.view.beside ?? '').config).toEqual(beside);
  });

  it('names the settings that it cannot use, and uses the others', () => {
    const { config, notices } = parseBeside(OPENING_CONFIG, 'mode:nothing,bucket:25,such:1');
    expect(config).toEqual({ ...OPENING_CONFIG, ddp: { ...OPENING_CONFIG.ddp, bucketCapMb: 25 } });
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringContaining('mode=nothing'),
      expect.stringContaining('such=1'),
    ]);
  });

  it('is never empty, also for two equal runs', () => {
    expect(printBeside(OPENING_CONFIG, OPENING_CONFIG)).toBe('seed:0');
    expect(parseBeside(OPENING_CONFIG, 'seed:0').config).toEqual(OPENING_CONFIG);
  });
});

describe('suggestions', () => {
  it('begin with one device, or with DDP if one device is running', () => {
    const words = (hash: string) => suggestionsFor(parsePermalink(hash).config).map((suggestion) => suggestion.words);
    expect(words('')[0]).toBe('on one device');
    expect(words('#mode=single')[0]).toBe('with DistributedDataParallel');
    expect(words('')).toContain('with all-reduce by naive exchange');
    expect(words('')).toContain('with a bucket cap of 25 MiB');
    expect(words('#mode=single')).not.toContain('without overlap');
    expect(words('#precision=autocast-fp16&scaler=1').slice(0, 2)).toEqual(['in float32', 'without a GradScaler']);
    expect(words('#mode=sharded&paramDtype=bfloat16')[0]).toBe('in float32');
    expect(words('#mode=pipeline&precision=autocast-bf16').slice(0, 2)).toEqual(['in float32', 'with a GradScaler']);
    expect(words('#mode=ps&precision=autocast-bf16').slice(0, 2)).toEqual(['in float32', 'on one device']);
    expect(words('#mode=tensor&world=4')).toContain('with each tensor group across two nodes');
    expect(words('#mode=tensor&world=4&nodes=2')).toContain('with each tensor group inside a node');
    expect(words('#mode=tensor&world=3').filter((said) => said.includes('tensor group'))).toEqual([]);
  });
});
