/**
 * No name of a buffer of ours reaches the reader: what the stage, the timeline, the list of memory and a Chrome trace
 * say of small runs of all modes has PyTorch's names and words only.
 */
import { expect, test } from 'vitest';
import { place } from '../../scripts/tier';
import { chromeTrace } from '../interop/chrome-trace';
import type { ConfigInput } from '../protocol/config';
import { openTestSession } from '../session/testing/open-session';
import { isOfTorch } from '../trace/buffer-words';
import { lastOf } from '../trace/moments/moment';
import { momentSentence } from '../trace/moments/moment-sentence';
import { byMoments } from '../trace/moments/moments';
import { sentenceOf } from '../trace/sentence';
import { TOLD } from '../training/testing/told-steps';
import { eventLabels } from './lanes/event-label';
import { gapsOf } from './lanes/gaps';
import { memoryTree } from './memory/memory-tree';
import { createTraceFacts } from './stage/facts-at';
import { planStage, stageScene } from './stage/scene';
import { eventTip } from './timeline/timeline-tip';

/** Every text in a value, except texts that only the code reads. */
function textsIn(value: unknown, found: Set<string>, seen = new Set<unknown>()): void {
  if (typeof value === 'string') found.add(value);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || seen.has(value)) return;
  seen.add(value);
  for (const [key, own] of Object.entries(value)) {
    if (key === 'tip' && typeof own === 'function') textsIn(own(), found, seen);
    else if (!['id', 'anchor', 'kernel'].includes(key)) textsIn(own, found, seen);
  }
}

/** All that is shown of a step, and the names of its buffers. */
async function shownBy(config: ConfigInput) {
  const session = await openTestSession({
    data: { type: 'xor', samples: 46 },
    batchSize: 12,
    ...config,
    device: 'cpu',
    compareSingle: false,
  });
  await session.api.traceStep();
  const { info } = session;
  const traces = [...(info.construct ? [info.construct] : []), await session.api.traceStep()].map(byMoments);
  await session.close();
  const shown = new Set<string>();
  const names = new Set(info.memory.flatMap(({ entries }) => entries.flatMap(({ tensors }) => tensors)));
  textsIn(
    info.memory.map((memory) => memoryTree(memory, `rank ${memory.device}`)),
    shown,
  );
  for (const trace of traces) {
    for (const e of trace.events) for (const name of [...e.reads, ...e.writes, e.slice?.buffer ?? 'x']) names.add(name);
    trace.events.forEach((e, index) => {
      const { facts } = eventTip(trace, index);
      textsIn(
        [eventLabels(e), facts.filter(([what]) => what !== 'kernel'), sentenceOf(trace, index, 'modelled')],
        shown,
      );
    });
    for (const { device } of info.memory) for (const gap of gapsOf(trace, 'modelled', device)) shown.add(gap.why());
    textsIn(
      chromeTrace([trace], 'modelled', {}).traceEvents.map(({ args }) => args?.['buffer']),
      shown,
    );
    const facts = createTraceFacts(info, trace);
    const plan = planStage(info, trace, facts.packets, { width: 1100, height: 600 });
    for (const moment of trace.moments) {
      shown.add(momentSentence(trace, moment, 'modelled'));
      textsIn(stageScene(plan, facts.at({ event: lastOf(moment), fraction: 0.5 }, 'modelled')), shown);
    }
  }
  return { shown: [...shown], names: [...names] };
}

/** Whether the text contains the name as a separate word, not as part of a longer name or of a number. */
const says = (text: string, name: string): boolean => {
  const at = text.indexOf(name);
  return at >= 0 && !/[\w.@]/.test(text[at - 1] ?? ' ') && !/[\w@]/.test(text[at + name.length] ?? ' ');
};

const PLAIN = /^[a-z]+$/;

/** One of each mode, and of each algorithm and hook that has buffers of its own. */
const IN_QUICK = [
  'one device, accumulating, clipped',
  'DataParallel of two',
  'DDP, naive',
  'DDP, hierarchical on two nodes',
  'DDP, accumulating',
  'DDP, clipped',
  'DDP, batch norm',
  'DDP, fp16',
  'DDP, PowerSGD',
  'model parallel of two, clipped',
  'pipeline, GPipe',
  'parameter server, asynchronous',
  'a GPT',
];
const REST = 'one of each mode, and of the settings with buffers of their own, is looked through';

test('those of the quick tier are there', () => {
  expect(TOLD.map(([name]) => name)).toEqual(expect.arrayContaining(IN_QUICK));
});

for (const [name, config] of TOLD)
  test(name, place(IN_QUICK.includes(name) ? {} : { rest: REST }), async () => {
    const { shown, names } = await shownBy(config);
    // Plain words such as "loss" are allowed.
    const ours = names.filter((name) => !PLAIN.test(name) && (!isOfTorch(name) || name.includes('@')));
    expect(shown.length).toBeGreaterThan(40);
    const wrong = shown.flatMap((text) => ours.filter((name) => says(text, name)).map((name) => `${name} in: ${text}`));
    expect(wrong).toEqual([]);
  });
