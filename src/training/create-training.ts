/**
 * Opens a training: a world with the mode's Programs on an available device, and the single-device reference beside it.
 * training-on-worlds.ts runs it.
 */
import { asLockstepError, LockstepError } from '../base/errors';
import { loadPart } from '../base/load-part';
import { refusedSettings } from '../base/refused-settings';
import { rankDevices } from '../launch/rank-devices';
import { loadVectors } from '../parallel/vector-ops';
import type { Config } from '../protocol/config';
import type { World } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';
import type { DeviceKeeper } from './device-keeper';
import { FaultPlan } from './failures/fault-plan';
import { FlightLog } from './failures/flight-log';
import { HOST_MEMORY, LARGE_MB } from './host-memory-part';
import { openWorld, type WorldRequest } from './open-world';
import type { Training } from './training';
import { trainingOn } from './training-on-worlds';

export interface TrainingOptions {
  readonly keeper: DeviceKeeper;
  readonly gpu: GPU | undefined;
  /** Faults injected in steps to come. */
  readonly faults?: FaultPlan | undefined;
  /** The first time that DDP's constructor runs is traced, for the page. */
  readonly traceConstruct?: boolean | undefined;
  /** The flight recorder's log. */
  readonly flight?: FlightLog | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** As in WorldRequest. */
  readonly byPorts?: boolean | undefined;
}

/** Number of devices that may be lost during set-up before we give up. */
const MOST_DEVICES = 3;

/** If a device is lost during set-up, tries another one. */
export async function createTraining(blueprint: Blueprint, options: TrainingOptions): Promise<Training> {
  for (let lost = 1; ; lost++) {
    try {
      return await openTraining(blueprint, options);
    } catch (error) {
      if (asLockstepError(error).code !== 'device-lost' || lost === MOST_DEVICES) throw error;
      options.keeper.forget();
    }
  }
}

async function openTraining(
  blueprint: Blueprint,
  {
    keeper,
    gpu,
    faults = new FaultPlan(blueprint.config),
    flight = new FlightLog(),
    traceConstruct = false,
    onProgress,
    byPorts,
  }: TrainingOptions,
): Promise<Training> {
  const { config, mode, programs, reference: referencePrograms, table, processOfDevice } = blueprint;
  // Needed on any device, because the CPU computes test loss and predictions from the weights.
  await loadVectors(programs);
  const choice = await keeper.choose(config.device);
  // Every device stays within its budget, so a few devices cannot exceed the machine's memory.
  if (choice.kind === 'cpu' && (processOfDevice.length + 1) * config.memoryBudgetMb > LARGE_MB)
    (await HOST_MEMORY.load()).checkCpuMemory(config, [programs, referencePrograms]);
  const adapters = config.adapters && rankDevices(config, mode).map(({ adapter }) => adapter);
  const group = {
    timeoutMs: 1000 * config.timeoutS,
    slow: config.stragglers,
    cpu: { threads: config.threads, fusedMultiplyAdd: config.fusedMultiplyAdd },
    ...(adapters ? { adapters } : {}),
  };
  const shared = { table, choice, gpu, group, onProgress, byPorts };
  const worlds: World[] = [];
  const open = async (request: Pick<WorldRequest, 'programs' | 'placement' | 'rankOfDevice'>): Promise<World> => {
    const opened = await openWorld({ ...shared, ...request });
    worlds.push(opened);
    return opened;
  };
  try {
    const world = await open({ programs, placement: config.placement, rankOfDevice: processOfDevice });
    const reference =
      referencePrograms.length > 0
        ? await open({ programs: referencePrograms, placement: 'shared', rankOfDevice: [0] })
        : undefined;
    const notices = adapters ? [] : [...choice.notices];
    if (config.threads > 1 || config.fusedMultiplyAdd) {
      const { cpuNotices } = await loadPart('The notices about CPU settings', () => import('./cpu-notices'));
      notices.push(...(await cpuNotices(config, choice.kind, programs)));
    }
    const training = trainingOn(blueprint, world, reference, { notices, faults, flight, traceConstruct });
    await training.reset();
    return training;
  } catch (error) {
    await Promise.allSettled(worlds.map((opened) => opened.dispose()));
    throw adapters ? namingAdapters(error, config.adapters) : error;
  }
}

/** If a rank asks for an adapter that this machine lacks, the error names the setting. */
function namingAdapters(error: unknown, adapters: Config['adapters']): unknown {
  if (!(error instanceof LockstepError) || (error.code !== 'no-webgpu' && error.code !== 'no-adapter')) return error;
  const why = error.message.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase());
  return refusedSettings({ code: error.code, settings: { adapters }, why, hint: error.hint, details: error.details });
}
