/**
 * Rooms of ranks that share layers: the part of a tensor that a rank has is drawn at its place in an outline of the
 * whole, so that the parts of all ranks fill it; and every room has place for its words.
 *
 * @module-tag rest: fits.test.ts paints rooms of mode tensor, where no word is over another.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { createTraceFacts } from '../app/stage/facts-at';
import { planStage, stageScene } from '../app/stage/scene';
import type { RoomScene } from '../app/stage/scene-types';
import { faultsOfRoom } from '../app/stage/testing/room-pictures';
import { SMALL_GPT } from '../app/testing/small-runs';
import { must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { sessionInfo } from '../headless/session-info';
import type { ConfigInput } from '../protocol/config';
import type { StyleName } from '../protocol/config/tensor';
import { mlpLayers } from '../protocol/presets';
import type { SessionInfo } from '../protocol/session-info';
import { lastOf, type MomentTrace } from '../trace/moments/moment';
import { byMoments } from '../trace/moments/moments';
import { createBlueprint } from './blueprint';
import { createTraining } from './create-training';
import { DeviceKeeper } from './device-keeper';

const [COLUMNS, ROWS] = ['ColwiseParallel', 'RowwiseParallel'] as const;

interface Run {
  readonly ranks: number;
  readonly config: ConfigInput;
  readonly plan: Record<string, StyleName>;
}

const RUNS: Readonly<Record<string, Run>> = {
  'a GPT cut between two ranks': {
    ranks: 2,
    config: SMALL_GPT,
    plan: {
      tok: ROWS,
      'blocks.*.qkv': COLUMNS,
      'blocks.*.proj': ROWS,
      'blocks.*.fc1': COLUMNS,
      'blocks.*.fc2': ROWS,
      head: COLUMNS,
    },
  },
  'a perceptron cut among four ranks': {
    ranks: 4,
    config: {
      batchSize: 8,
      model: { layers: mlpLayers([2, 8, 8, 1], 'ReLU') },
      loss: { type: 'MSELoss' },
      data: { type: 'plane' },
    },
    plan: { 0: COLUMNS, 2: ROWS },
  },
};

async function traced({ ranks, config: given, plan }: Run) {
  const lossParallel = given.loss?.type !== 'MSELoss';
  const config = parseConfig({
    ...given,
    mode: 'tensor',
    worldSize: ranks,
    tensor: { plan, lossParallel },
    device: 'cpu',
  });
  const blueprint = createBlueprint(config, {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const trace = byMoments(await training.trace());
  const info = sessionInfo(training);
  await training.dispose();
  return { info, trace };
}

const SIZES = { laptop: { width: 856, height: 388 }, phone: { width: 390, height: 592 } } as const;
const area = ({ width, height }: { readonly width: number; readonly height: number }) => width * height;

describe.each(Object.entries(RUNS))('%s', (_, run) => {
  let info: SessionInfo;
  let trace: MomentTrace;
  beforeAll(async () => {
    ({ info, trace } = await traced(run));
  });

  const scenes = (size: keyof typeof SIZES) => {
    const facts = createTraceFacts(info, trace);
    const plan = planStage(info, trace, facts.packets, SIZES[size]);
    return trace.moments.map((moment) => ({
      event: must(trace.events[lastOf(moment)], 'an event'),
      scene: stageScene(plan, facts.at({ event: lastOf(moment), fraction: 1 }, 'modelled')),
    }));
  };

  test.each(['laptop', 'phone'] as const)('the words of every room have their place, %s', (size) => {
    const faults = scenes(size).flatMap(({ event, scene }) =>
      scene.rooms.flatMap((room) =>
        faultsOfRoom({ name: event.name, room, scene: { ...scene, rooms: [room] } }).map(
          (fault) => `${event.module} ${event.name}: ${fault}`,
        ),
      ),
    );
    expect([...new Set(faults)]).toEqual([]);
  });

  test('the parts of all ranks fill the outline of a weight', () => {
    const products = scenes('laptop').filter(({ event }) => event.name === 'ops/linear' && event.phase === 'forward');
    let outlines = 0;
    for (const { scene } of products) {
      const dashed = (room: RoomScene) => room.under.flatMap((each) => (each.shape === 'box' ? [each.rect] : []));
      dashed(must(scene.rooms[0], 'a room')).forEach((__, i) => {
        outlines++;
        const share = scene.rooms.reduce((sum, room) => {
          const whole = must(dashed(room)[i], 'an outline');
          const inside = room.maps.filter(
            ({ rect }) =>
              rect.x >= whole.x - 0.01 &&
              rect.y >= whole.y - 0.01 &&
              rect.x + rect.width <= whole.x + whole.width + 0.01 &&
              rect.y + rect.height <= whole.y + whole.height + 0.01,
          );
          return sum + inside.reduce((n, { rect }) => n + area(rect), 0) / area(whole);
        }, 0);
        expect(share).toBeCloseTo(1, 6);
      });
    }
    // The weight and what goes in or comes out of it.
    expect(outlines).toBeGreaterThan(3);
  });
});
