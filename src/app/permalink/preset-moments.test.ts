/** Presets as pipelines of two and four ranks, as a link opens them: at most 60 moments per step, in every schedule. */
import { expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { at } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { SCHEDULE_NAMES } from '../../protocol/pipeline';
import { byMoments } from '../../trace/moments/moments';
import { MOST_MOMENTS } from '../../trace/pipeline/turn-windows';
import { toldSteps } from '../../training/testing/told-steps';
import { parsePermalink } from './permalink';

const links = (preset: string) =>
  SCHEDULE_NAMES.flatMap((name) => [2, 4].map((pp) => `preset=${preset}&mode=pipeline&world=${pp}&schedule=${name}`));

async function holds(link: string) {
  const { config } = parsePermalink(`#${link}`);
  const last = at((await toldSteps(parseConfig({ ...config, device: 'cpu', compareSingle: false }))).slice(-1), 0);
  expect(byMoments(last).moments.length).toBeLessThanOrEqual(MOST_MOMENTS);
}

test.each(links('mlp'))('%s', holds);

test.each([...links('deepMlp'), ...links('cnn'), ...links('gpt')])(
  '%s',
  place({ rest: 'the MLP has the same schedules; step-moments.test.ts has more ranks and micro-batches' }),
  holds,
);
