/**
 * A single collective, run repeatedly on real executors as in a training step: virtual ranks on one GPUDevice, or ranks
 * joined by MessagePorts. The Program is the lab's. Called by the command line (run-collectives.ts) and by bench/.
 */
import { must } from '../base/invariant';
import { INPUT, type LabShape, labProgram, OUTPUT } from '../lab/lab-program';
import type { BufferSpec } from '../program/instruction';
import type { AlgorithmName } from '../protocol/collective';
import type { Config } from '../protocol/config';
import type { DeviceReport } from '../protocol/session-info';
import { ALONE } from '../protocol/step-kind';
import type { Rank } from '../protocol/trace';
import { emptyFeed } from '../runtime/launch/empty-feed';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import type { HostArray } from '../tensor/shape';
import { DeviceKeeper } from '../training/device-keeper';
import { openWorld } from '../training/open-world';
import { NO_DATA } from './no-data';

export interface CollectivePlace {
  readonly device: Config['device'];
  /** 'workers': ranks joined by MessagePorts, in workers if the platform has them. */
  readonly placement: Config['placement'];
  readonly gpu?: GPU | undefined;
}

export interface OpenCollective {
  /** The algorithm that runs: 'naive' if the requested one does not implement the collective. */
  readonly algorithm: AlgorithmName;
  readonly info: DeviceReport;
  /** The device of the shared placement. */
  readonly device: GPUDevice | undefined;
  /** Runs this many times in sequence; resolves when every rank has finished. */
  run(count: number): Promise<void>;
  write(rank: Rank, data: HostArray): Promise<void>;
  /** Reads a rank's result. */
  read(rank: Rank): Promise<Float32Array>;
  dispose(): Promise<void>;
}

const STEP = emptyFeed(ALONE);
/** A few bytes to read back: when they arrive, everything before them has been computed. */
const MARK: BufferSpec = { name: 'mark', shape: [1], dtype: 'f32', category: 'communication', persistent: true };

export async function openCollective(
  shape: LabShape,
  { device, placement, gpu = browserGpu() }: CollectivePlace,
): Promise<OpenCollective> {
  const { program, algorithm } = labProgram(shape);
  const marked = {
    ...program,
    lanes: program.lanes.map((lane) => ({ ...lane, buffers: [...lane.buffers, MARK] })),
  };
  const keeper = new DeviceKeeper(gpu, true);
  const choice = await keeper.choose(device);
  const rankOfDevice = marked.lanes.map(({ rank }) => rank);
  const world = await openWorld({
    programs: [marked],
    table: NO_DATA,
    placement,
    byPorts: true,
    rankOfDevice,
    choice,
    gpu,
  });
  const marks = rankOfDevice.map((rank) => ({ device: rank, buffer: MARK.name }));
  const result = program.lanes[0]?.buffers.some(({ name }) => name === OUTPUT) ? OUTPUT : INPUT;
  return {
    algorithm: algorithm.name,
    info: { ...world.info },
    device: choice.opened?.device,
    async run(count) {
      await world.run(Array.from({ length: count }, () => STEP));
      await world.read(marks);
    },
    write: (rank, data) => world.write([{ device: rank, buffer: INPUT, data }]),
    read: async (rank) => must((await world.read([{ device: rank, buffer: result }]))[0], result),
    async dispose() {
      await world.dispose();
      keeper.forget();
    },
  };
}
