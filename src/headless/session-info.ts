/** Makes the page's information before anything has run, from a blueprint and the chosen device. */
import { at } from '../base/invariant';
import { preview } from '../inference/views/preview';
import { rankEnvironments } from '../launch/rank-environments';
import { plainRole } from '../parallel/face';
import { alignedBytes } from '../program/memory-planner';
import type { SessionInfo } from '../protocol/session-info';
import { describe, HARDWARE } from '../simulator/hardware';
import { FLOAT32_MEMORY, hasHalves, memoryOf } from '../training/device-memory';
import type { Training } from '../training/training';

export function sessionInfo(training: Training): SessionInfo {
  const { blueprint } = training;
  const { config, programs, mode, facets, mesh, rankOfDevice, parameters, facts } = blueprint;
  const { place, steps } = facets;
  const program = at(programs, 0);
  const environment = rankEnvironments(config, mode);
  const roles = rankOfDevice.map((_, device) => {
    const role = (mode.face.role ?? plainRole)(device, { ...config, worldSize: rankOfDevice.length });
    const own = mode.face.processPerDevice && config.nodes > 1 ? environment[device] : undefined;
    // Each node counts its devices from cuda:0.
    return own ? { ...role, beside: `node ${own.GROUP_RANK}, cuda:${own.LOCAL_RANK}` } : role;
  });
  const batchPerRank = place.rowsOfDevice(config, blueprint.batches().sizes.full).map(([, count]) => count);
  // With shares each worker that has rows computes a loss. Of ranks with the same rows, the first has the line.
  const lossDevices = steps.lossShares
    ? batchPerRank.flatMap((count, device) => (count > 0 ? [device] : []))
    : (steps.lossRanks?.(config) ?? mesh.world.ranks);
  const lossLines = lossDevices
    .map((device, index) => ({ device, place: index, title: at(roles, device).title }))
    .filter(
      ({ device }, index) =>
        steps.lossShares ||
        lossDevices.findIndex((other) => mesh.dataIndex(other) === mesh.dataIndex(device)) === index,
    );
  return {
    config,
    worldSize: rankOfDevice.length,
    parameters: parameters.map(({ name, shape }) => ({ name, shape })),
    batchPerRank,
    lossLines,
    ...facts,
    environment,
    device: training.device,
    notices: [...blueprint.notices, ...training.notices],
    ranks: new Set(rankOfDevice).size,
    processes: new Set(blueprint.processOfDevice).size,
    buffers: program.lanes.flatMap(({ device, buffers }) =>
      buffers.map((b) => ({
        device,
        name: b.name,
        shape: b.halves?.shape ?? b.shape,
        ...(b.halves ? { half: true as const } : {}),
        category: b.category,
        bytes: alignedBytes(b),
        persistent: b.persistent,
        ...(b.onHost ? { onHost: b.onHost } : {}),
      })),
    ),
    memory: memoryOf(blueprint),
    ...(hasHalves(config) ? { memoryInFloat32: FLOAT32_MEMORY.get().memoryInFloat32(blueprint) } : {}),
    construct: training.construct,
    batchesPerEpoch: blueprint.batchesPerEpoch,
    dataset: preview(blueprint),
    roles,
    layersOfDevice: place.layersOfDevice(config),
    hardwareLabel: describe(HARDWARE[config.hardware], rankOfDevice.length).label,
  };
}
