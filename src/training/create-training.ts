/**
 * Opens a training: a world with the mode's Programs on a device that can be had, and the single-device reference
 * beside it. What it does from then on is in training-on-worlds.ts.
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
  /** Where it is noted what ran. */
  readonly flight?: FlightLog | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Devices that may be lost while a training is set up on them, before that is the end of it. */
const MOST_DEVICES = 3;

/** On another device where one is lost while it is being set up. */
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
  }: TrainingOptions,
): Promise<Training> {
  const { config, mode, programs, reference: referencePrograms, table, processOfDevice } = blueprint;
  // On any device: what is computed from the weights beside it (test loss, predictions) is the CPU's work.
  await loadVectors(programs);
  const choice = await keeper.choose(config.device);
  // Every device keeps to its budget, so few devices cannot take more than there is.
  if (choice.kind === 'cpu' && (processOfDevice.length + 1) * config.memoryBudgetMb > LARGE_MB)
    (await HOST_MEMORY.load()).checkCpuMemory(config, [programs, referencePrograms]);
  const adapters = config.adapters && rankDevices(config, mode).map(({ adapter }) => adapter);
  const group = {
    timeoutMs: 1000 * config.timeoutS,
    slow: config.stragglers,
    cpu: { threads: config.threads, fusedMultiplyAdd: config.fusedMultiplyAdd },
    ...(adapters ? { adapters } : {}),
  };
  const shared = { table, choice, gpu, group, onProgress };
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
      const { cpuNotices } = await loadPart('What a run says of its CPU settings', () => import('./cpu-notices'));
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

/** A rank asked for an adapter that this machine lacks: the refusal names the setting. */
function namingAdapters(error: unknown, adapters: Config['adapters']): unknown {
  if (!(error instanceof LockstepError) || (error.code !== 'no-webgpu' && error.code !== 'no-adapter')) return error;
  const why = error.message.replace(/\.$/, '').replace(/^./, (first) => first.toLowerCase());
  return refusedSettings({ code: error.code, settings: { adapters }, why, hint: error.hint, details: error.details });
}
