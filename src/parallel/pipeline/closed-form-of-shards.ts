/**
 * The bytes that ranks send if they keep a stage in shards: the gathers of each unit that the order of the stage needs,
 * and one reduce-scatter. Called by closed-form.ts.
 */
import { at } from '../../base/invariant';
import { algorithmFor } from '../../collectives/algorithms';
import { initDeviceMesh } from '../../mesh/device-mesh';
import type { CollectiveOp } from '../../protocol/collective';
import type { Config } from '../../protocol/config';
import { paramHalf, reduceHalf } from '../../protocol/half-of';
import type { Axis } from '../../protocol/mesh';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { DeviceIndex } from '../../protocol/trace';
import { actionsOf } from '../../schedules/actions-of';
import type { Schedule } from '../../schedules/schedule';
import { bytesOf } from '../../tensor/shape';
import { unitsOn } from '../sharded/emitter-of-parts';
import { unitLayout } from '../sharded/unit-layout';
import { trainedIn } from '../sharded/units';
import { unitsOfStages } from './shards-of-stages';
import { devicesOfStage } from './stages';

/** Adds the bytes of one step. */
export function addShards(perDevice: number[], config: Config, schedule: Schedule): void {
  const { stage: zero, reshardAfterForward } = config.sharded;
  const mesh = initDeviceMesh(meshSizes(config));
  const [onDevice, trained] = [unitsOn(config), trainedIn(config)];
  const sent = (op: CollectiveOp, axis: Axis, places: number, device: DeviceIndex): number => {
    const cost = { op, worldSize: mesh.shape[axis], bytes: places * bytesOf('f32'), halves: reduceHalf(config) };
    return at(algorithmFor(config.ddp.algorithm, op).cost(cost).bytesSent, mesh.coordinate(device)[axis]);
  };
  const ranks = mesh.shape.dpShard;
  for (const [stage, units] of unitsOfStages(config).entries())
    for (const { path, parameters } of units) {
      if (trained({ path, parameters }).length === 0) continue;
      const reshards = zero === 3 && (path !== '' || reshardAfterForward === true);
      const gathers = gathersOf(schedule, stage, reshards);
      for (const device of devicesOfStage(config, schedule, stage)) {
        const own = onDevice({ path, parameters }, device);
        const { places } = unitLayout(own.parameters, ranks, paramHalf(config));
        const reduced = unitLayout(trained(own), ranks, reduceHalf(config)).places;
        const bytes =
          gathers * sent('allGather', 'dpShard', places, device) +
          sent('reduceScatter', 'dpShard', ranks * reduced, device) +
          sent('allReduce', 'dpReplicate', reduced, device);
        perDevice[device] = at(perDevice, device) + bytes;
      }
    }
}

/** Number of gathers. A forward pass frees the unit if it reshards; a backward pass leaves it whole. */
export function gathersOf({ orders }: Pick<Schedule, 'orders'>, stage: number, reshards: boolean): number {
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
