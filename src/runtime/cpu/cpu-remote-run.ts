/**
 * Runs the one hosted lane of Programs whose other lanes run elsewhere: its two queues are two cooperating loops over
 * the transport.
 */
import { must } from '../../base/invariant';
import type { Instruction, Lane, Program, Recv } from '../../program/instruction';
import type { LanePosition } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Captured, Queue } from '../../protocol/trace';
import { nowUs } from '../clock';
import type { InstructionRecord, Stop, Transport } from '../executor';
import { type Brake, createBrake } from '../rest';
import { capture, receive, sliceOf } from './cpu-actions';
import { type ArrayOf, type CpuContext, hostedLanes, isShared } from './cpu-context';
import { message } from './join';
import { type CpuAction, localAction } from './program-actions';

interface LanePlan {
  readonly lane: Lane;
  /** Instructions of the lane, by queue. */
  readonly queues: Readonly<Record<Queue, readonly Instruction[]>>;
  readonly array: ArrayOf;
  /** The actions of instructions that need no peer. */
  readonly actions: ReadonlyMap<Instruction, CpuAction>;
}

/** Options of a step: where its rank stops, and whether it is measured. */
interface Asked {
  readonly stop: Stop | undefined;
  readonly records: InstructionRecord[] | undefined;
}

const NOTHING: readonly Captured[] = [];

/** The means of a step. */
interface Means {
  readonly wire: Transport;
  /** Set if the rank is slowed down. */
  readonly brake: Brake | undefined;
  readonly given: CpuContext['given'];
}

export class CpuRemoteRun {
  private readonly plans: ReadonlyMap<ProgramKey, LanePlan>;
  private readonly brake: Brake | undefined;
  private underWay: RemoteLaneStep | undefined;

  constructor(
    private readonly context: CpuContext,
    private readonly wire: Transport,
    slowdown: number | undefined,
  ) {
    this.brake = slowdown === undefined ? undefined : createBrake(slowdown);
    const own = context.programs.filter((program) => !isShared(context, program));
    this.plans = new Map(own.map((program) => [programKey(program.kind), planLane(context, program)]));
  }

  async step(key: ProgramKey, asked: Asked): Promise<void> {
    const plan = must(this.plans.get(key), `program ${key}`);
    this.underWay = new RemoteLaneStep(plan, asked, { wire: this.wire, brake: this.brake, given: this.context.given });
    await this.underWay.run();
    this.underWay = undefined;
  }

  positions(): readonly LanePosition[] {
    return this.underWay ? [this.underWay.place] : [];
  }
}

function planLane(context: CpuContext, program: Program): LanePlan {
  const lane = must(hostedLanes(context, program)[0], 'a hosted lane');
  const own = lane.instructions.filter(({ kind }) => kind === 'compute' || kind === 'load');
  const of = (queue: Queue): readonly Instruction[] => lane.instructions.filter((i) => i.queue === queue);
  return {
    lane,
    queues: { compute: of('compute'), comm: of('comm') },
    array: context.arrayOf(programKey(program.kind), lane.device),
    actions: new Map(own.map((i) => [i, localAction(context, program, lane.device, i)])),
  };
}

/** Events with which the queues of a lane wait for each other within a step. */
class Events {
  private readonly known = new Map<string, { readonly done: Promise<void>; readonly set: () => void }>();

  of(name: string): { readonly done: Promise<void>; readonly set: () => void } {
    const known = this.known.get(name);
    if (known) return known;
    let set = () => {};
    const done = new Promise<void>((resolve) => {
      set = resolve;
    });
    const made = { done, set };
    this.known.set(name, made);
    return made;
  }
}

/** One step of the lane, with both queues running. */
class RemoteLaneStep {
  readonly place: { -readonly [K in keyof LanePosition]: LanePosition[K] };
  private readonly events = new Events();
  /** Set when the rank has stopped: neither queue continues. */
  private stopped: Promise<never> | undefined;

  constructor(
    private readonly plan: LanePlan,
    private readonly asked: Asked,
    private readonly means: Means,
  ) {
    const { queues, lane } = plan;
    this.place = { device: lane.device, compute: queues.compute[0]?.id, comm: queues.comm[0]?.id };
  }

  async run(): Promise<void> {
    await Promise.all([this.runQueue('compute'), this.runQueue('comm')]);
  }

  private async runQueue(queue: Queue): Promise<void> {
    const { stop, records } = this.asked;
    const { device } = this.plan.lane;
    for (const i of this.plan.queues[queue]) {
      this.place[queue] = i.id;
      if (i.id === stop?.instruction) this.stopped = stop.reached();
      if (this.stopped !== undefined) await this.stopped;
      const startUs = records && nowUs();
      const running = this.runOne(i);
      const captured = running instanceof Promise ? await running : running;
      if (startUs !== undefined && i.kind !== 'wait')
        records?.push({ id: i.id, device, startUs, durUs: nowUs() - startUs, captured });
      if (i.signals) {
        this.events.of(i.signals).set();
        // Lets the other queue continue at once, like a second stream.
        await Promise.resolve();
      }
    }
    this.place[queue] = undefined;
  }

  /**
   * Returns a promise only if it has to wait: most instructions finish at once, and a microtask for each would add up.
   */
  private runOne(i: Instruction): Promise<readonly Captured[]> | readonly Captured[] {
    const { array } = this.plan;
    const { wire, brake } = this.means;
    const { records } = this.asked;
    if (i.kind === 'wait') return this.events.of(i.event).done.then(() => NOTHING);
    if (i.kind === 'recv') return this.receiveOne(i);
    if (i.kind === 'send') {
      wire.send(this.place.device, i.peer, i.tag, message(sliceOf(i, array)));
      return NOTHING;
    }
    const action = must(this.plan.actions.get(i), 'an action');
    const startUs = brake && nowUs();
    action.run();
    const captured = () => (records ? action.captured() : NOTHING);
    const due = startUs === undefined ? undefined : brake?.(nowUs() - startUs);
    return due ? due.then(captured) : captured();
  }

  private async receiveOne(i: Recv): Promise<readonly Captured[]> {
    const { lane, array } = this.plan;
    const target = sliceOf(i, array);
    receive(target, await this.means.wire.recv(i.peer, this.place.device, i.tag), i, this.means.given.corruption);
    return this.asked.records ? [capture(lane, i.slice.buffer, target, i.slice.offset)] : NOTHING;
  }
}
