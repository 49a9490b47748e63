/**
 * What a further mode costs: a folder (parallel/testing/echo) and a row in the table. Nothing else of src/ knows this
 * one, and it compiles, is verified, trains, is described, drawn and listed.
 */
import { expect, test } from 'vitest';
import { planStage } from '../app/stage/scene';
import { at, must } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { sessionInfo } from '../headless/session-info';
import { metricsOf } from '../trace/metrics';
import { packetsOf } from '../trace/packets';
import { createBlueprint } from '../training/blueprint';
import { createTraining } from '../training/create-training';
import { DeviceKeeper } from '../training/device-keeper';
import { differenceFromSingle } from '../training/weights/weight-differences';
import { PARALLEL_MODES } from './modes';
import { ECHO } from './testing/echo/face';
import { echo } from './testing/echo/mode';

const TABLE = { ...PARALLEL_MODES, [ECHO]: echo };

test.each([1, 2])('a mode of one folder and one row: accumulate %i', async (accumulate) => {
  const config = { ...parseConfig({ device: 'cpu', worldSize: 2, batchSize: 8, accumulate }), mode: ECHO };
  const blueprint = createBlueprint(config, {}, { mode: TABLE[config.mode] });
  const keeper = new DeviceKeeper(undefined, true);
  const training = await createTraining(blueprint, { keeper, gpu: undefined });
  try {
    await training.run(4 * accumulate - 1);
    const trace = await training.trace();
    const weights = await training.weights();
    expect(differenceFromSingle(blueprint, weights)).toBe(0);
    expect(weights.devices[1]?.size).toBe(0);

    const info = sessionInfo(training);
    expect(info.roles.map(({ title }) => title)).toEqual(['caller', 'echo']);
    const script = (await blueprint.mode.listing.load())(config);
    expect(script.map(({ text }) => text.trim())).toContain('#   there and back');
    const { bytesAgree, formula, traffic } = metricsOf(trace, 'modelled', info);
    expect(formula.text).toMatch(/^each device sends G; G = \d+ B/);
    expect(bytesAgree, `${formula.total} B, counted ${traffic.total} B`).toBe(true);
    expect(traffic.total).toBeGreaterThan(0);

    const { devices } = planStage(info, trace, packetsOf(trace), { width: 900, height: 500 });
    expect(devices.map(({ title }) => title)).toEqual(['caller', 'echo']);
    expect(at(devices, 0).samples).toHaveLength(8 / accumulate);
    expect(must(devices[1], 'echo').samples).toEqual([]);
  } finally {
    await training.dispose();
    keeper.forget();
  }
});
