/**
 * Saved pictures: a moment of a real run as SVG. It is well formed, contains the sentence, has no NaN, and names no
 * font file.
 */
import { expect, test } from 'vitest';
import { openTestSession } from '../../session/testing/open-session';
import { lastOf } from '../../trace/moments/moment';
import { byMoments } from '../../trace/moments/moments';
import type { Ink } from '../draw/ink';
import type { MeasureText } from '../draw/text';
import { DEFAULT_VIEW } from '../permalink/permalink-view';
import { LOSS_PICTURE, paintLosses } from '../result/loss-picture';
import { lossSeries } from '../result/loss-series';
import { lossesCsv } from '../result/losses-csv';
import { paintStage } from '../stage/paint-stage';
import { createStageModel } from '../stage/stage-model';
import { createAppStore } from '../state/store';
import { palette } from '../testing/palette';
import { paintTimeline } from '../timeline/paint-timeline';
import { marksOf } from '../timeline/timeline-marks';
import { createTimelineModel } from '../timeline/timeline-model';
import type { FigurePicture } from './figure-picture';
import { momentCaption, runWords } from './moment-caption';
import { svgOf } from './write-picture';

const measure: MeasureText = (text, { size }) => 0.55 * size * text.length;
const SIZE = { width: 1100, height: 560 };
const HREF = 'https://example.org/#seed=0&at=2&moment=9';

async function page(mode: 'ddp' | 'single') {
  const session = await openTestSession({
    mode,
    worldSize: mode === 'ddp' ? 4 : 1,
    device: 'cpu',
    compareSingle: false,
  });
  const trace = byMoments(await session.api.traceStep());
  const store = createAppStore(session.info.config, DEFAULT_VIEW);
  store.getState().setInfo(session.info);
  store.getState().addTrace(trace);
  await session.close();
  return { store, trace };
}

const saved = (app: Parameters<typeof momentCaption>[0], picture: FigurePicture): string =>
  svgOf({ ...picture, caption: picture.caption?.(runWords(app)) ?? momentCaption(app) }, palette, HREF, measure);

/** Checks that elements are closed in order; given escaped text, an XML parser needs no more. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  for (const [tag, name, empty] of svg.matchAll(/<\/?([a-zA-Z]+)(?:\s+[a-z-]+="[^"<]*")*\s*(\/?)>/gi)) {
    if (tag.startsWith('</')) expect(open.pop()).toBe(name);
    else if (empty === '') open.push(name ?? '');
  }
  expect(open).toEqual([]);
  const rest = svg.replaceAll(/<\/?([a-zA-Z]+)(?:\s+[a-z-]+="[^"<]*")*\s*(\/?)>/gi, '');
  expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
}

test.each(['ddp', 'single'] as const)('every tenth moment of the stage (%s)', async (mode) => {
  const { store, trace } = await page(mode);
  const model = createStageModel();
  for (const [index, moment] of trace.moments.entries()) {
    if (index % 10 > 0) continue;
    for (const fraction of [0.5, 1]) {
      store.getState().seek(0, lastOf(moment), fraction);
      const app = store.getState();
      const scene = model.look(app, SIZE);
      if (!scene) throw new Error('no scene');
      const paint = (ink: Ink) => paintStage(ink, scene, { hovered: [], pinned: [] });
      const svg = saved(app, { ...SIZE, paint });
      expectWellFormed(svg);
      expect(svg).not.toMatch(/NaN|undefined|Infinity|IBM|Inter/);
      const title = /<title>(.*)<\/title>/.exec(svg)?.[1] ?? '';
      expect(title).toContain(mode === 'ddp' ? 'DistributedDataParallel, 4 ranks, step 1, ' : 'step 1, ');
      // The caption's lines are the same sentence.
      const words = [...svg.matchAll(/<text[^>]*font-size="13"[^>]*>([^<]*)</g)].map(([, text]) => text).join(' ');
      expect(words.replaceAll(' ', '')).toContain(title.replaceAll(' ', ''));
      expect(svg).toContain(`<a href="${HREF.replaceAll('&', '&amp;')}">`);
    }
  }
});

test('the timeline and the losses', async () => {
  const { store, trace } = await page('ddp');
  const app = store.getState();
  const timeline = createTimelineModel();
  const size = { width: 1000, height: undefined };
  const { height } = timeline.layout(app, size);
  const parts = timeline.parts(app);
  const scene = timeline.look(app, size);
  const none = { pointed: undefined, selection: undefined, matches: undefined, path: false };
  const marks = marksOf(timeline, app, scene, none);
  const svg = saved(app, {
    width: 1000,
    height,
    paint: (ink) => paintTimeline(ink, scene, marks, parts && { parts, view: timeline.view, top: 0, band: undefined }),
  });
  expectWellFormed(svg);
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  expect(svg).toContain('<pattern');
  const losses = Array.from({ length: 30 }, (_, step) => ({
    ...trace.losses,
    step,
    microBatch: step,
    loss: 1 / (step + 1),
  }));
  const plot = saved(app, {
    ...LOSS_PICTURE,
    paint: (ink) => paintLosses(ink, lossSeries(losses, [], 1), LOSS_PICTURE),
    caption: (run) => `${run}: <loss> & "steps"`,
  });
  expectWellFormed(plot);
  expect(plot).toContain('&lt;loss&gt; &amp; &quot;steps&quot;');
  expect(plot).not.toMatch(/NaN|undefined/);
});

test('the losses as CSV: one row per micro-batch and evaluation', () => {
  const losses = [0, 1, 2].map((step) => ({
    step,
    microBatch: step,
    epoch: 0,
    perRank: [step, step + 0.5],
    loss: step + 0.25,
  }));
  // Ranks 2 and 3 have the last stage.
  const lines = [2, 3].map((device, place) => ({ device, title: `rank ${device}`, place }));
  const evaluation = { step: 2, trainLoss: 0.5, testLoss: undefined, trainAccuracy: 0.9, testAccuracy: undefined };
  expect(lossesCsv(losses, [evaluation], 2, lines).split('\r\n')).toEqual([
    'step,micro_batch,epoch,loss,loss_rank_2,loss_rank_3,train_loss_all_rows,test_loss_all_rows,train_accuracy,test_accuracy',
    '1,1,1,0.25,0,0.5,,,,',
    '1,2,1,1.25,1,1.5,,,,',
    '2,1,1,2.25,2,2.5,,,,',
    '2,,,,,,0.5,,0.9,',
    '',
  ]);
});
