/**
 * The bytes that ranks send if they keep a stage in shards: the gathers of each unit that the order of the stage needs,
 * and one reduce-scatter per step. Called by shards-around-stages.ts.
 */
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { ClosedForm } from '../../protocol/closed-form';
import type { Config } from '../../protocol/config';
import { paramHalf, reduceHalf } from '../../protocol/half-of';
import { meshSizes } from '../../protocol/mesh-sizes';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { closedForm, type FormPass, type RunSizes, uncounted } from '../closed-form';
import { byDevice } from '../over-axes';
import { unitsOn } from '../sharded/emitter-of-parts';
import { sentByRank } from '../sharded/sent-by-rank';
import { unitLayout } from '../sharded/unit-layout';
import { trainedIn } from '../sharded/units';
import { devicesOfStage } from './stage-graphs';
import { unitsOfStages } from './units-of-stages';

export function shardsForm({ config, devices }: RunSizes, pass: FormPass, schedule: Schedule): ClosedForm {
  const left = uncounted(config);
  const text = `the units of each stage, gathered when a micro-batch needs them, and once per step their gradients, scattered${left}`;
  const bytes = pass.steps ? sentInStep(config, schedule) : Array.from({ length: devices }, () => 0);
  return closedForm(bytes, text, { exact: left === '' });
}

function sentInStep(config: Config, schedule: Schedule): readonly number[] {
  const { stage: zero, reshardAfterForward } = config.sharded;
  const mesh = initDeviceMesh(meshSizes(config));
  const [onDevice, trained] = [unitsOn(config), trainedIn(config)];
  const ranks = mesh.shape.dpShard;
  const all = byDevice(mesh.devices.length);
  for (const [stage, units] of unitsOfStages(config).entries())
    for (const { path, parameters } of units) {
      if (trained({ path, parameters }).length === 0) continue;
      const reshards = zero === 3 && (path !== '' || reshardAfterForward === true);
      const gathers = gathersOf(schedule, stage, reshards);
      for (const device of devicesOfStage(config, schedule, stage)) {
        const own = onDevice({ path, parameters }, device);
        const { sent } = sentByRank(config, mesh, device);
        const { places } = unitLayout(own.parameters, ranks, paramHalf(config));
        const reduced = unitLayout(trained(own), ranks, reduceHalf(config)).places;
        all.add(device, gathers * sent('allGather', 'dpShard', places));
        all.add(device, sent('reduceScatter', 'dpShard', ranks * reduced));
        all.add(device, sent('allReduce', 'dpReplicate', reduced));
      }
    }
  return all.bytes;
}

/** Number of gathers. A forward pass frees the unit if it reshards; a backward pass leaves it whole. */
function gathersOf({ orders }: Pick<Schedule, 'orders'>, stage: number, reshards: boolean): number {
  let [gathers, isWhole] = [0, false];
  for (const action of orders.flatMap(actionsOf)) {
    if (action.stage !== stage) continue;
    // The first stage has no gradient of an input to compute.
    if (action.kind === 'I' && stage === 0) continue;
    if (!isWhole) gathers++;
    isWhole = action.kind !== 'F' || !reshards;
  }
  return gathers;
}
