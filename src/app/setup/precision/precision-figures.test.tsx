/** The pictures of half precision agree with the run: gradients by layer in every mode, scales and skipped steps. */
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { must } from '../../../base/invariant';
import { parseConfig } from '../../../config/parse-config';
import { recordRun } from '../../../lessons/record/record-run';
import type { SessionInfo } from '../../../protocol/session-info';
import type { LossRecord } from '../../../protocol/trace';
import { gradientSizes, type LayerGradients, ofAllLayers } from '../../../trace/gradient-sizes';
import { DEFAULT_VIEW } from '../../permalink/permalink-view';
import { AppContexts, type AppServices } from '../../run/app-contexts';
import { createAppStore } from '../../state/store';
import { PrecisionPanel } from './precision-panel';
import { powerWords, RangeFigure, rangeHeight, shownRange } from './range-figure';
import { ScaleFigure } from './scale-figure';
import { scaleStory } from './scale-story';

const NET = 'data=circle&samples=64&layers=2-8-8-1&opt=sgd&batch=16&test=0&device=cpu&compare=0&at=2';

async function runOf(link: string) {
  const { facts } = await recordRun(`${NET}&${link}`);
  return { info: must(facts.info, 'a run'), trace: must(facts.trace, 'a step') };
}

/** The panel as text; `info`: of the open run. */
function panelOf(precision: string, info?: SessionInfo): string {
  const store = createAppStore(parseConfig({ mode: 'single', precision }), DEFAULT_VIEW);
  const services = { store, controller: {}, frames: {}, urlSync: {} } as unknown as AppServices;
  const palette = new Proxy({}, { get: () => ['#000'] }) as never;
  if (info) store.setState({ info });
  // Markup is rendered from the store's initial state.
  store.getInitialState = store.getState;
  return renderToStaticMarkup(
    <AppContexts services={services} palette={palette}>
      <PrecisionPanel />
    </AppContexts>,
  );
}

test.each([
  ['float32', undefined],
  ['autocast-bf16', 'bfloat16'],
  ['autocast-fp16', 'float16'],
])('%s: the panel says how kernels round', (precision, type) => {
  const markup = panelOf(precision);
  if (type === undefined) expect(markup).not.toContain('round each result');
  else expect(markup).toContain(`round each result to ${type}, as PyTorch`);
});

test.each([
  ['f16', 'This GPU has shader-f16: kernels'],
  ['packed', 'This GPU lacks shader-f16: kernels'],
  ['inexact', 'shader-f16 does not round as PyTorch does: kernels'],
  [undefined, undefined],
] as const)('how the kernels of a GPU convert float16: %s', async (float16, words) => {
  const { info } = await runOf('mode=single&precision=autocast-fp16');
  const device = { ...info.device, ...(float16 ? { float16 } : {}) };
  const markup = panelOf('autocast-fp16', { ...info, device });
  if (words === undefined) expect(markup).not.toContain('shader-f16');
  else expect(markup).toContain(words);
});

describe('gradients by layer', () => {
  test.each([
    'mode=single',
    'mode=single&precision=autocast-fp16&scaler=1',
    'mode=single&accumulate=2',
    'mode=ddp&world=2&precision=autocast-bf16',
    'mode=ddp&world=2&views=1',
    'mode=sharded&world=2&zero=3&precision=autocast-bf16',
    'mode=sharded&world=2&zero=3&paramDtype=bfloat16',
    'mode=pipeline&world=2',
    'mode=dp&world=2',
  ])('%s: those of every layer, the last layer first', async (link) => {
    const { info, trace } = await runOf(link);
    const layers = gradientSizes(trace, info);
    expect(layers.map(({ module }) => module)).toEqual(['4', '2', '0']);
    expect(layers.map(({ count }) => count)).toEqual([9, 72, 24]);
    for (const { powers, zeros, notFinite, count } of layers) expect(powers.length + zeros + notFinite).toBe(count);
  });

  test('the picture has a row per layer, with how many are 0 and how many are inf', async () => {
    const { info, trace } = await runOf('mode=single&precision=autocast-fp16&scaler=1&initScale=1e30');
    const { notFinite } = ofAllLayers(gradientSizes(trace, info));
    expect(notFinite).toBeGreaterThan(0);
    const range = must(shownRange(info, trace), 'a range');
    expect(range.what).toBe('scaled gradients in float16');
    expect(range.lost).toContain(`${notFinite} of 105 are inf or NaN`);
    for (const width of [200, 372, 918]) {
      const svg = renderToStaticMarkup(<RangeFigure range={range} width={width} />);
      expect(svg).not.toMatch(/ (?:d|x|y|width|transform)="[^"]*(?:NaN|undefined)/);
      const ends = [...svg.matchAll(/<rect x="([\d.]+)"[^>]* width="([\d.]+)"/g)].map(
        ([, x, w]) => Number(x) + Number(w),
      );
      expect(Math.max(...ends)).toBeLessThanOrEqual(width);
      expect(svg).toContain(`height="${rangeHeight(range, width)}"`);
      for (const layer of ['layer 0', 'layer 2', 'layer 4']) expect(svg).toContain(`>${layer}<`);
    }
  });

  test('many layers share rows, and no gradient is left out', async () => {
    const { info, trace } = await runOf('mode=single');
    const [first] = gradientSizes(trace, info);
    const many = Array.from({ length: 40 }, (_, k): LayerGradients => ({ ...must(first, 'a layer'), module: `${k}` }));
    const events = many.map(({ module }, id) => ({
      ...must(
        trace.events.find(({ phase, kind }) => phase === 'backward' && kind === 'compute'),
        'an event',
      ),
      id,
      captured: [{ buffer: `${module}.weight.grad`, offset: 0, values: Float32Array.of(0, 1, 2 ** -30) }],
    }));
    const parameters = many.map(({ module }) => ({ name: `${module}.weight`, shape: [3] }));
    const { rows } = must(shownRange({ ...info, parameters }, { ...trace, events }), 'a range');
    expect(rows.length).toBeLessThanOrEqual(16);
    expect(rows[0]?.words).toBe('layer 0 to layer 2');
    expect(ofAllLayers(rows.map((row) => ({ ...row, module: '' })))).toEqual({ count: 120, zeros: 40, notFinite: 0 });
  });

  test('powers are written with superscripts', () => {
    expect([-24, 0, 16].map(powerWords)).toEqual(['2⁻²⁴', '1', '2¹⁶']);
  });
});

describe('the scale over the steps', () => {
  const record = (step: number, scale: number, skipped: boolean): LossRecord => ({
    ...{ step, microBatch: step, epoch: 0, perRank: [1], loss: 1 },
    scaler: { scale, skipped, skippedSteps: 0 },
  });
  const config = { gradScaler: { initScale: 65_536 } } as Parameters<typeof scaleStory>[1];

  test('a step has the scale that the previous step left', () => {
    const story = must(
      scaleStory([record(0, 32_768, true), record(1, 65_536, false), record(2, 65_536, false)], config),
      'a story',
    );
    expect(story.skipped).toBe(1);
    expect(story.steps.map(({ step, scale, skipped }) => [step, scale, skipped])).toEqual([
      [1, 65_536, true],
      [2, 32_768, false],
      [3, 65_536, false],
    ]);
  });

  test('without a GradScaler there is no plot; micro-batches that end no step are ignored', () => {
    const { scaler: _, ...plain } = record(0, 1, false);
    expect(scaleStory([plain], config)).toBeUndefined();
    expect(scaleStory([plain, record(1, 65_536, false)], config)?.steps).toHaveLength(1);
  });

  test('the picture has a cross per skipped step, and one in its legend', () => {
    const records = Array.from({ length: 30 }, (_, step) => record(step, 2 ** (16 - step), step % 3 === 0));
    const story = must(scaleStory(records, config), 'a story');
    for (const width of [240, 918]) {
      const svg = renderToStaticMarkup(<ScaleFigure story={story} width={width} />);
      expect(svg.match(/stroke="var\(--bad\)"/g)).toHaveLength(10 + 1);
      expect(svg).toContain('10 skipped steps');
      expect(svg).not.toMatch(/NaN|undefined/);
    }
  });
});
