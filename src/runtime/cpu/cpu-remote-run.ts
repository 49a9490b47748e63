/**
 * Runs the one lane that lives here of Programs whose other lanes live elsewhere: its two queues are two cooperating
 * loops over the transport.
 */
import { must } from '../../base/invariant';
import type { Instruction, Lane, Program } from '../../program/instruction';
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
  readonly array: ArrayOf;
  /** What those instructions do that need no peer. */
  readonly actions: ReadonlyMap<Instruction, CpuAction>;
}

/** What a step is asked for beside its Program: where its rank stops, and whether it is measured. */
interface Asked {
  readonly stop: Stop | undefined;
  readonly records: InstructionRecord[] | undefined;
}

/** What a step works with. */
interface Means {
  readonly wire: Transport;
  /** Of a rank that is slowed down. */
  readonly brake: Brake | undefined;
  readonly given: CpuContext['given'];
}

export class CpuRemoteRun {
  private readonly plans: ReadonlyMap<ProgramKey, LanePlan>;
  private readonly brake: Brake | undefined;
  private underWay: RemoteLaneStep | undefined;

  constructor(
    private readonly context: CpuContext,
    private readonly transport: Transport | undefined,
    slowdown: number | undefined,
  ) {
    this.brake = slowdown === undefined ? undefined : createBrake(slowdown);
    const own = context.programs.filter((program) => !isShared(context, program));
    this.plans = new Map(own.map((program) => [programKey(program.kind), planLane(context, program)]));
  }

  async step(key: ProgramKey, asked: Asked): Promise<void> {
    const plan = must(this.plans.get(key), `program ${key}`);
    const wire = must(this.transport, 'a transport to the other ranks');
    this.underWay = new RemoteLaneStep(plan, asked, { wire, brake: this.brake, given: this.context.given });
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
  return {
    lane,
    array: context.arrayOf(programKey(program.kind), lane.device),
    actions: new Map(own.map((i) => [i, localAction(context, program, lane.device, i)])),
  };
}

/** Events by which the queues of a lane wait for each other within a step. */
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

/** One step of the lane, with both queues under way. */
class RemoteLaneStep {
  readonly place: { -readonly [K in keyof LanePosition]: LanePosition[K] };
  private readonly events = new Events();
  /** The rank has stopped: neither queue goes on. */
  private stopped: Promise<never> | undefined;

  constructor(
    private readonly plan: LanePlan,
    private readonly asked: Asked,
    private readonly means: Means,
  ) {
    const { device, instructions } = plan.lane;
    const first = (queue: Queue) => instructions.find((i) => i.queue === queue)?.id;
    this.place = { device, compute: first('compute'), comm: first('comm') };
  }

  async run(): Promise<void> {
    await Promise.all([this.runQueue('compute'), this.runQueue('comm')]);
  }

  private async runQueue(queue: Queue): Promise<void> {
    const { stop, records } = this.asked;
    const { device, instructions } = this.plan.lane;
    for (const i of instructions) {
      if (i.queue !== queue) continue;
      this.place[queue] = i.id;
      if (i.id === stop?.instruction) this.stopped = stop.reached();
      if (this.stopped !== undefined) await this.stopped;
      const startUs = nowUs();
      const captured = await this.runOne(i);
      if (i.kind !== 'wait') records?.push({ id: i.id, device, startUs, durUs: nowUs() - startUs, captured });
      if (i.signals) {
        this.events.of(i.signals).set();
        // Lets the other queue go on at once, as a second stream would.
        await Promise.resolve();
      }
    }
    this.place[queue] = undefined;
  }

  private async runOne(i: Instruction): Promise<Captured[]> {
    const { array } = this.plan;
    const { wire, given, brake } = this.means;
    const { device } = this.place;
    const { records } = this.asked;
    if (i.kind === 'wait') await this.events.of(i.event).done;
    else if (i.kind === 'send') wire.send(device, i.peer, i.tag, message(sliceOf(i, array)));
    else if (i.kind === 'recv') {
      const target = sliceOf(i, array);
      receive(target, await wire.recv(i.peer, device, i.tag), i, given.corruption);
      return records ? [capture(this.plan.lane, i.slice.buffer, target, i.slice.offset)] : [];
    } else {
      const action = must(this.plan.actions.get(i), 'an action');
      const startUs = brake && nowUs();
      action.run();
      const due = startUs === undefined ? undefined : brake?.(nowUs() - startUs);
      if (due) await due;
      return records ? action.captured() : [];
    }
    return [];
  }
}
