/** The first picture, which the page derives from the configuration alone, compared with the session's answer. */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config/parse-config';
import type { ConfigInput } from '../../protocol/config';
import { openTestSession } from '../../session/testing/open-session';
import { SMALL_CNN, SMALL_GPT } from '../testing/small-runs';
import { placeDevices } from './devices';
import { expectedRun } from './expected-run';

const WHOLE: Readonly<Record<string, ConfigInput>> = {
  Single: { mode: 'single' },
  DataParallel: { mode: 'dataParallel', worldSize: 3 },
  DDP: { mode: 'ddp', worldSize: 4 },
  'Parameter server': { mode: 'parameterServer', worldSize: 3 },
  'a convolutional net': { mode: 'ddp', worldSize: 2, ...SMALL_CNN },
  'a GPT': { mode: 'ddp', worldSize: 2, ...SMALL_GPT },
};

async function rooms(input: ConfigInput) {
  const { info, close } = await openTestSession(input);
  await close();
  const of = (places: ReturnType<typeof placeDevices>) =>
    places.map(({ title, subtitles, layers }) => ({
      title,
      subtitles,
      layers: layers.map(({ labels, weight, bias }) => [labels, weight.shape, bias?.shape]),
    }));
  return {
    answered: of(placeDevices(info, undefined)),
    expected: of(placeDevices(expectedRun(parseConfig(input)), undefined)),
  };
}

describe('what is drawn before the session has answered', () => {
  it.each(Object.entries(WHOLE))('%s: the devices and their layers', async (_, input) => {
    const { answered, expected } = await rooms({ ...input, device: 'cpu' });
    expect(expected).toEqual(answered);
    expect(expected[0]?.layers).not.toEqual([]);
  });

  it('a pipeline: its rooms may be called by their stages', async () => {
    const { info, close } = await openTestSession({ mode: 'pipeline', worldSize: 3, device: 'cpu' });
    await close();
    expect(placeDevices(info, undefined).map(({ stage }) => stage)).toEqual(['stage 0', 'stage 1', 'stage 2']);
  });

  it('Model parallel: the devices, and no layer where it may not be', async () => {
    const { answered, expected } = await rooms({ mode: 'modelParallel', worldSize: 2, device: 'cpu' });
    expect(expected).toEqual(answered.map((room) => ({ ...room, layers: [] })));
  });
});
