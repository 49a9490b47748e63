/** The slider of ZeRO's stages: four positions with the bytes that a rank keeps, and the chosen stage in words. */
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../config/parse-config';
import { DEFAULT_VIEW } from '../../permalink/permalink-view';
import { AppContexts, type AppServices } from '../../run/app-contexts';
import { createAppStore } from '../../state/store';
import { StageSlider } from './stage-slider';
import { STAGES } from './zero-stages';

const sharding = {
  ranks: 4,
  whole: { parameters: 4096, gradients: 4096, states: 8192 },
  units: [],
  layers: [],
};

function drawn(stage: number): string {
  const store = createAppStore(parseConfig({ mode: 'sharded', sharded: { stage } }), DEFAULT_VIEW);
  const services = { store, controller: {}, frames: {}, urlSync: {} } as unknown as AppServices;
  const palette = new Proxy({}, { get: () => ['#000'] }) as never;
  return renderToStaticMarkup(
    <AppContexts services={services} palette={palette}>
      <StageSlider sharding={sharding} />
    </AppContexts>,
  );
}

test.each([
  [0, 'stage 0, DistributedDataParallel: nothing is sharded, 16 KiB on each rank'],
  [1, 'stage 1, ZeroRedundancyOptimizer: optimiser states are sharded, 10 KiB on each rank'],
  [
    2,
    'stage 2, fully_shard(reshard_after_forward=False): gradients and optimiser states are sharded, 7 KiB on each rank',
  ],
  [3, 'stage 3, fully_shard: parameters, gradients and optimiser states are sharded, 4 KiB on each rank'],
])('stage %i', (stage, words) => {
  const markup = drawn(stage);
  expect(markup.match(/type="range"/g)).toHaveLength(1);
  expect(markup).toContain(`min="0" max="3" step="1" aria-valuetext="${words}" value="${stage}"`);
  for (const bytes of ['16 KiB', '10 KiB', '7 KiB', '4 KiB']) expect(markup).toContain(`<span>${bytes}</span>`);
  for (const { torch } of STAGES) expect(markup).toContain(`: ${torch}`);
});
