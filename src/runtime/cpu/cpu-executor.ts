/**
 * Runs Programs on typed arrays: the double-checked reference, and the fallback where a browser has no WebGPU. Lanes
 * that all live here run in one merged order, synchronously; a lane whose peers live elsewhere runs its two queues as
 * two cooperating loops over the transport.
 */
import { must } from '../../base/invariant';
import { CpuScratch } from '../../graph/cpu-scratch';
import { foldMovements } from '../../program/fold-movements';
import type { Instruction, Lane, Program } from '../../program/instruction';
import { linearize } from '../../program/linearize';
import { planMemory } from '../../program/memory-planner';
import { programOf } from '../../program/program-of';
import { type Position, positionsAfter, reach } from '../../program/reach';
import type { Place } from '../../program/symbolic-memory';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Captured, DeviceIndex, Queue } from '../../protocol/trace';
import { disposedError } from '../disposed-error';
import type { Corruption, Executor, ExecutorOptions, Feed, InstructionRecord, Loss, Stop } from '../executor';
import { createBrake } from '../rest';
import { type ArrayOf, capture, computeAction, foldAction, loadAction, receive, sliceOf } from './cpu-actions';
import { createCpuMemory } from './cpu-memory';
import { message } from './join';

/** One thing to do, for the instructions it stands for (a transfer is a send and a recv). */
interface Action {
  readonly parts: readonly { readonly device: DeviceIndex; readonly instruction: Instruction }[];
  run(): void;
  captured(): Captured[];
}

const nowUs = (): number => (performance.timeOrigin + performance.now()) * 1000;

export function createCpuExecutor(options: ExecutorOptions): Executor {
  const { programs, devices, ops, transport } = options;
  const memory = new Map([...planMemory(programs, devices)].map(([d, plan]) => [d, createCpuMemory(programs, plan)]));
  const scratch = new CpuScratch();
  let disposed = false;
  const memoryOf = (device: DeviceIndex) => {
    if (disposed) throw disposedError();
    return must(memory.get(device), `cuda:${device} on this executor`);
  };
  let feed: Feed = () => new Float32Array(0);
  let corruption: Corruption | undefined;
  let pendingLosses: Loss[][] = [];
  let positions: readonly Position[] = [];
  const brake = options.slowdown === undefined ? undefined : createBrake(options.slowdown);

  const hosted = (program: Program): Lane[] => program.lanes.filter((l) => devices.includes(l.device));
  const isLocal = (program: Program) => hosted(program).length === program.lanes.length;
  const arrayOf =
    (key: ProgramKey, device: DeviceIndex): ArrayOf =>
    (buffer) =>
      memoryOf(device).array(key, buffer);
  const laneOf = (program: Program, device: DeviceIndex): Lane =>
    must(
      program.lanes.find((l) => l.device === device),
      `lane ${device}`,
    );

  const localAction = (program: Program, device: DeviceIndex, instruction: Instruction): Action => {
    const array = arrayOf(programKey(program.kind), device);
    const parts = [{ device, instruction }];
    if (instruction.kind === 'compute') {
      const run = computeAction(instruction, laneOf(program, device), array, ops, scratch);
      return { parts, run, captured: () => instruction.outputs.map((name) => capture(name, array(name), 0)) };
    }
    if (instruction.kind === 'load') {
      const run = loadAction(instruction, device, array, () => feed);
      return { parts, run, captured: () => [capture(instruction.buffer, array(instruction.buffer), 0)] };
    }
    return { parts, run: () => {}, captured: () => [] };
  };

  /** `fold`: an all-reduce is one action; else each of its rounds is one, and can be traced and corrupted. */
  const actionsOf = (program: Program, { fold }: { readonly fold: boolean }): Action[] => {
    const rounds = linearize(program, { group: false });
    const steps = fold ? foldMovements(program, rounds, ops, () => 'arrays') : rounds;
    return steps.flatMap((step): Action[] => {
      if (step.kind === 'fold') {
        const array = ({ device, buffer }: Place) => arrayOf(programKey(program.kind), device)(buffer);
        return step.items.map((fold) => ({ parts: step.ran, run: foldAction(fold, array), captured: () => [] }));
      }
      if (step.kind !== 'transfer')
        return step.items.map(({ device, instruction }) => localAction(program, device, instruction));
      return step.items.map(({ send, recv }) => {
        const source = sliceOf(send.instruction, arrayOf(programKey(program.kind), send.device));
        const target = sliceOf(recv.instruction, arrayOf(programKey(program.kind), recv.device));
        const { slice } = recv.instruction;
        return {
          parts: [send, recv],
          run: () => receive(target, source, recv.instruction, corruption),
          captured: () => [capture(slice.buffer, target, slice.offset)],
        };
      });
    });
  };

  const local = new Map(programs.filter(isLocal).map((p) => [programKey(p.kind), actionsOf(p, { fold: true })]));
  /** Every instruction by itself; made when one is looked at. */
  const apart = new Map<ProgramKey, Action[]>();
  const roundByRound = (key: ProgramKey): readonly Action[] | undefined => {
    if (!local.has(key)) return undefined;
    const known = apart.get(key) ?? actionsOf(programOf(programs, key), { fold: false });
    apart.set(key, known);
    return known;
  };

  /** Where the losses of a Program are. */
  const lossPlaces = new Map(
    programs.map((program) => [
      programKey(program.kind),
      hosted(program).flatMap(({ device, losses }) =>
        losses.map(({ microBatch, buffer }) => ({
          device,
          microBatch,
          array: memoryOf(device).array(programKey(program.kind), buffer),
        })),
      ),
    ]),
  );
  const noteLosses = (key: ProgramKey) => {
    const places = must(lossPlaces.get(key), 'losses');
    // An entry even without a loss: those of several executors are matched by their place.
    pendingLosses.push(places.map(({ array, ...of }) => ({ ...of, value: array[0] ?? Number.NaN })));
  };

  /** The two queues of a lane whose peers live elsewhere. */
  const remoteStep = async (key: ProgramKey, stop?: Stop, records?: InstructionRecord[]): Promise<void> => {
    const program = programOf(programs, key);
    const lane = must(hosted(program)[0], 'a hosted lane');
    const { device } = lane;
    const array = arrayOf(key, device);
    const wire = must(transport, 'a transport to the other ranks');
    const events = new Map<string, { done: Promise<void>; set: () => void }>();
    const event = (name: string) => {
      const known = events.get(name);
      if (known) return known;
      let set = () => {};
      const done = new Promise<void>((resolve) => {
        set = resolve;
      });
      events.set(name, { done, set });
      return { done, set };
    };
    const first = (queue: Queue) => lane.instructions.find((i) => i.queue === queue)?.id;
    const place: { -readonly [K in keyof Position]: Position[K] } = {
      device,
      compute: first('compute'),
      comm: first('comm'),
    };
    positions = [place];
    /** The rank has stopped: neither queue goes on. */
    let stopped: Promise<never> | undefined;
    const runOne = async (i: Instruction): Promise<Captured[]> => {
      if (i.kind === 'wait') await event(i.event).done;
      else if (i.kind === 'send') wire.send(device, i.peer, i.tag, message(sliceOf(i, array)));
      else if (i.kind === 'recv') {
        const target = sliceOf(i, array);
        receive(target, await wire.recv(i.peer, device, i.tag), i, corruption);
        return records ? [capture(i.slice.buffer, target, i.slice.offset)] : [];
      } else {
        const action = localAction(program, device, i);
        const startUs = brake && nowUs();
        action.run();
        const due = startUs === undefined ? undefined : brake?.(nowUs() - startUs);
        if (due) await due;
        return records ? action.captured() : [];
      }
      return [];
    };
    const runQueue = async (queue: Queue) => {
      for (const i of lane.instructions) {
        if (i.queue !== queue) continue;
        place[queue] = i.id;
        if (i.id === stop?.instruction) stopped = stop.reached();
        if (stopped !== undefined) await stopped;
        const startUs = nowUs();
        const captured = await runOne(i);
        if (i.kind !== 'wait') records?.push({ id: i.id, device, startUs, durUs: nowUs() - startUs, captured });
        if (i.signals) {
          event(i.signals).set();
          // Lets the other queue go on at once, as a second stream would.
          await Promise.resolve();
        }
      }
      place[queue] = undefined;
    };
    await Promise.all([runQueue('compute'), runQueue('comm')]);
    positions = [];
    noteLosses(key);
  };

  /** Of a step that one rank does not get through: what is done all the same. */
  const localUntil = (key: ProgramKey, actions: readonly Action[], stop: Stop): Promise<never> => {
    const ran = reach(programOf(programs, key), stop.rank, stop.instruction);
    for (const action of actions) if (action.parts.every((part) => ran.has(part.instruction.id))) action.run();
    positions = positionsAfter(programOf(programs, key), ran);
    return stop.reached();
  };

  const traceLocal = (actions: readonly Action[]): InstructionRecord[] =>
    actions.flatMap((action) => {
      const startUs = nowUs();
      action.run();
      const durUs = nowUs() - startUs;
      const last = action.parts.length - 1;
      return action.parts.map(({ device, instruction }, k) => ({
        id: instruction.id,
        device,
        startUs,
        durUs,
        captured: k === last ? action.captured() : [],
      }));
    });

  return {
    info: { kind: 'cpu', adapter: 'CPU (typed arrays)', software: true },
    lost: new Promise<string>(() => {}),
    allocatedBytes: (device) => memoryOf(device).bytes,
    write: (device, buffer, data) => memoryOf(device).persistent(buffer).set(data),
    read: async (refs, as) =>
      refs.map(({ device, buffer }) => {
        const array = memoryOf(device).persistent(buffer);
        return as === 'bits' ? message(array) : Float32Array.from(array);
      }),
    step(key, nextFeed, stop) {
      if (disposed) throw disposedError();
      feed = nextFeed;
      const actions = corruption || stop ? roundByRound(key) : local.get(key);
      if (!actions) return remoteStep(key, stop);
      if (stop) return localUntil(key, actions, stop);
      for (const action of actions) action.run();
      noteLosses(key);
      return undefined;
    },
    async losses() {
      if (disposed) throw disposedError();
      const taken = pendingLosses;
      pendingLosses = [];
      return taken;
    },
    async trace(key, nextFeed, stop) {
      if (disposed) throw disposedError();
      feed = nextFeed;
      const actions = roundByRound(key);
      const records: InstructionRecord[] = [];
      if (actions && stop) return localUntil(key, actions, stop);
      if (actions) records.push(...traceLocal(actions));
      else await remoteStep(key, stop, records);
      if (actions) noteLosses(key);
      return records;
    },
    positions: () => positions,
    corrupt(next) {
      corruption = next;
    },
    dispose() {
      disposed = true;
      memory.clear();
    },
  };
}
