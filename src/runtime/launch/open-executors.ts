/**
 * Opens the executors of one process: one that hosts all its devices on a shared GPUDevice, or one per device, each
 * with its own adapter request and GPUDevice, connected by links. Only this file chooses between WebGPU and typed
 * arrays.
 */
import { must } from '../../base/invariant';
import { loadPart } from '../../base/load-part';
import { loadOpsOf, PROGRAM_OPS } from '../../parallel/modes';
import { type CpuSettings, loadVectors } from '../../parallel/vector-ops';
import type { Program } from '../../program/instruction';
import type { DeviceIndex } from '../../protocol/trace';
import { createCpuExecutor, REMOTE } from '../cpu/cpu-executor';
import { mayRepeat, REPLICAS } from '../cpu/cpu-shared-run';
import type { Transport } from '../executor';
import type { PortTransportOptions } from '../transport/port-transport';
import { closePorts, type RankLinks } from '../transport/rank-links';
import type { SharedMemory } from '../transport/shared-memory';
import { type OpenedDevice, openDevice } from '../webgpu/device';
import type { TuningStore } from '../webgpu/tuning/tuning-store';
import type { HostedExecutor } from './hosted-executor';
import type { WorldGroupOptions } from './world';

export interface ProcessPlan {
  readonly kind: 'webgpu' | 'cpu';
  readonly programs: readonly Program[];
  /** Devices that this process drives. */
  readonly devices: readonly DeviceIndex[];
  /** Links from each of its devices to every other device of the mesh; absent: all devices share one memory space. */
  readonly ports?: ReadonlyMap<DeviceIndex, RankLinks>;
  /** Memory for messages beside the ports; absent: all messages go through the ports. */
  readonly memory?: SharedMemory | undefined;
  readonly group?: WorldGroupOptions;
  /** Settings of the CPU device, if the world has no process group. */
  readonly cpu?: CpuSettings | undefined;
}

export interface OpenOptions {
  readonly gpu: GPU | undefined;
  /** This thread has nothing else to do, so it may sleep until a message arrives, if it hosts only one device. */
  readonly mayBlock?: boolean | undefined;
  /** A device to use instead of opening one. The caller keeps ownership. */
  readonly opened?: OpenedDevice | undefined;
  /** The store of measured tunings; absent: the browser's, if any. */
  readonly tuningStore?: TuningStore | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

export async function openExecutors(plan: ProcessPlan, options: OpenOptions): Promise<HostedExecutor[]> {
  const { ports } = plan;
  await loadOpsOf(plan.programs);
  if (!ports) return [await openOne(plan, plan.devices, undefined, options)];
  const hosted: HostedExecutor[] = [];
  try {
    // A thread that hosts several devices may not sleep: the sender of the message may be another device of the thread.
    const mayBlock = options.mayBlock === true && plan.devices.length === 1;
    const createTransport = await loadTransport(plan.memory, mayBlock);
    for (const device of plan.devices) {
      const transport = createTransport(
        device,
        must(ports.get(device), `ports of cuda:${device}`),
        transportOptions(plan.group, device),
      );
      const one = await openOne(plan, [device], transport, options);
      hosted.push({
        ...one,
        waitedMs: () => transport.waitedMs(),
        hangUp: (reason) => transport.close(reason),
        close() {
          transport.close('the process group was destroyed');
          one.close();
        },
      });
    }
    return hosted;
  } catch (error) {
    // If one device fails to open, closes those that are open already.
    for (const { executor, close } of hosted) {
      executor.dispose();
      close();
    }
    for (const own of ports.values()) closePorts(own);
    throw error;
  }
}

/** The transport through shared memory, if there is such memory. */
async function loadTransport(memory: SharedMemory | undefined, mayBlock: boolean) {
  if (!memory) {
    const { createPortTransport } = await loadPart(
      'The transport between ranks that share no memory',
      () => import('../transport/port-transport'),
    );
    return createPortTransport;
  }
  const { createSharedTransport } = await loadPart(
    'The transport between ranks through shared memory',
    () => import('../transport/shared-transport'),
  );
  return (own: DeviceIndex, ports: RankLinks, options: PortTransportOptions) =>
    createSharedTransport(own, ports, { ...options, memory, mayBlock });
}

function transportOptions(group: WorldGroupOptions | undefined, own: DeviceIndex): PortTransportOptions {
  const links = (group?.slow ?? []).flatMap((s) =>
    s.type === 'link' && s.from === own ? [[s.to, s.factor] as const] : [],
  );
  return {
    ...(group === undefined ? {} : { timeoutMs: group.timeoutMs }),
    ...(links.length === 0 ? {} : { slowTo: new Map(links) }),
  };
}

async function openOne(
  plan: ProcessPlan,
  devices: readonly DeviceIndex[],
  transport: Transport | undefined,
  options: OpenOptions,
): Promise<HostedExecutor> {
  const { programs } = plan;
  const slow = plan.group?.slow.find((s) => s.type === 'rank' && devices.length === 1 && s.rank === devices[0]);
  const base = {
    programs,
    devices,
    ops: PROGRAM_OPS,
    ...(transport ? { transport } : {}),
    ...(slow ? { slowdown: slow.factor } : {}),
  };
  const cpu = plan.cpu ?? plan.group?.cpu;
  const adapter = plan.ports ? plan.group?.adapters?.[devices[0] ?? 0] : undefined;
  if (adapter === 'cpu' || (adapter === undefined && plan.kind === 'cpu')) {
    if (transport) await REMOTE.load();
    else if (mayRepeat(programs)) await REPLICAS.load();
    const vectors = await loadVectors(programs, cpu);
    const team =
      vectors && cpu && cpu.threads > 1
        ? (await loadPart('Threads of the CPU', () => import('../cpu/threads'))).teamOf(cpu.threads)
        : undefined;
    return { executor: createCpuExecutor({ ...base, vectors, team }), devices, lose() {}, close() {} };
  }
  const opened =
    options.opened ??
    (await openDevice(options.gpu, { label: `cuda:${devices.join(',')}`, ...(adapter ? { adapter } : {}) }));
  const close = () => {
    if (!options.opened) opened.close();
  };
  const { onProgress, tuningStore } = options;
  try {
    const { createTunedExecutor } = await loadPart(
      'The WebGPU executor',
      () => import('../webgpu/create-tuned-executor'),
    );
    const executor = await createTunedExecutor({
      ...base,
      opened,
      tuningStore,
      ...(onProgress ? { onProgress } : {}),
    });
    return { executor, devices, lose: () => opened.device.destroy(), close };
  } catch (error) {
    close();
    throw error;
  }
}
