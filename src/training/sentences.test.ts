/**
 * Every sentence of a moment, of all modes: they have words for everything, and none of our own. With
 * LOCKSTEP_SENTENCES (a file, as `npm run sentences` has it) they are written there, to be read.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { partsOf, plainText } from '../trace/moments/marked';
import { momentSentence } from '../trace/moments/moment-sentence';
import { whyOf } from '../trace/moments/moment-why';
import { byMoments } from '../trace/moments/moments';
import { TOLD, toldSteps } from './testing/told-steps';

const pages: string[] = [];

/** What some of them must say, because the mechanism is what the reader is here for. */
const SAID: ReadonlyMap<string, readonly RegExp[]> = new Map([
  [
    'DDP, hierarchical on two nodes',
    [
      /^Round 1 of 4, reduce-scatter of bucket 0: within each node, every rank sends one chunk to its neighbour/,
      /^Round 2 of 4, reduce-scatter of bucket 0: between nodes, every rank sends one chunk to its counterpart/,
      /^Round 3 of 4, all-gather of bucket 0: between nodes, /,
      /^Round 4 of 4, all-gather of bucket 0: within each node, /,
    ],
  ],
  // One node: its ranks are a ring.
  ['DDP, hierarchical', [/^Round 1 of 6, reduce-scatter of bucket 0: every rank sends one chunk to its neighbour/]],
  // With a hook it is the hook that divides.
  ['DDP, fp16', [/^All 6 gradients of bucket 0 are ready: both ranks copy them/, /^ +The hook fp16_compress_hook/]],
  ['DDP, bf16', [/^ +The hook bf16_compress_hook/]],
  ['DDP, ring', [/^All 6 gradients of bucket 0 are ready: all four ranks divide them by 4 and copy/]],
  ['DDP, accumulating', [/^ +no_sync\(\): the gradients of this micro-batch are not sent/]],
  ['DDP, unused parameters', [/^find_unused_parameters: both ranks note/]],
  ['DDP, SyncBatchNorm', [/^SyncBatchNorm: all four ranks put their own statistics next to those of the other ranks/]],
  ['DataParallel', [/^Replicate: cuda:0 sends all parameters to all other devices/]],
  [
    'pipeline, 1F1B',
    [
      /^Stages 0 and 1 run the forward passes of micro-batches 1 and 0, stages 2 and 3 wait$/,
      /^ +The bubble at the start: /,
      /^Stages 0 and 2 run the forward passes of micro-batches 4 and 3, stages 1 and 3 the backward passes of micro-batches 1 and 2$/,
      /^Stage 2 sends the activations of micro-batch 7 to stage 3, stages 1 and 3 send the gradients of micro-batches 5 and/,
      /^ +One forward, one backward: each backward pass frees the activations/,
      /^scale_grads: all four ranks divide their gradients by the number of micro-batches$/,
    ],
  ],
  ['pipeline, GPipe', [/^ +All forward passes came first \(GPipe\)/]],
  [
    'pipeline, zero bubble',
    [
      /^Stages 0 and 1 compute weight gradients of micro-batches 3 and 3, stage 4 the input gradient of 4, stage 5 the forward pass of 7$/,
      /^ +W can wait: /,
    ],
  ],
  ['a GPT', [/^Forward: both ranks add the embedding of each token’s position/]],
]);

test.each(TOLD)('%s', async (name, config) => {
  const lines = new Set<string>();
  for (const original of await toldSteps(config)) {
    const trace = byMoments(original);
    for (const moment of trace.moments) {
      const marked = momentSentence(trace, moment, 'modelled');
      const said = plainText(marked);
      const why = whyOf(trace, moment, 'modelled');
      expect(
        partsOf(marked)
          .map(({ text }) => text)
          .join(''),
      ).toBe(said);
      // No hole, no buffer of ours, no full stop; and short enough for two lines of a phone.
      expect(said).toMatch(/^(?!.*(undefined|NaN|\[object|\?|\s\s|grad_norms?\b(?!_)|@\d|[«»‹›]))[A-Za-z].+[^.\s]$/);
      expect(said.length, said).toBeLessThanOrEqual(130);
      if (why !== undefined) expect(why).toMatch(/^(?!.*(undefined|NaN|\[object|\?|\s\s|[«»‹›]))[A-Za-z].+\.$/);
      lines.add(why === undefined ? said : `${said}\n      ${why}`);
    }
  }
  const page = [...lines].flatMap((line) => line.split('\n'));
  for (const wanted of SAID.get(name) ?? []) expect(page).toContainEqual(expect.stringMatching(wanted));
  pages.push(`${name}\n${[...lines].map((line) => `    ${line}`).join('\n')}\n`);
});

afterAll(() => {
  const file = process.env['LOCKSTEP_SENTENCES'];
  if (file) writeFileSync(file, pages.join('\n'));
});
