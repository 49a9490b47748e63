/**
 * Runs Programs whose lanes are all on this GPUDevice. A step is host writes, then one encoder with one compute pass
 * that replays the bound commands and the copies of the losses, and one submit.
 */
import { must } from '../../base/invariant';
import { programOf } from '../../program/program-of';
import { type LanePosition, positionsAfter, reach } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import type { HostArray } from '../../tensor/shape';
import type { Corruption, Feed, InstructionRecord, Stop } from '../executor';
import { Replicas } from '../replicas';
import { type DispatchCommand, encodeCommands } from './bind-dispatches';
import type { GpuContext } from './context';
import { type CopySpec, encodeCopies, isWorthCopying } from './copies';
import { planCorruption } from './corruption';
import type { DispatchSpec } from './dispatch';
import { runLoads } from './plan-loads';
import { type ProgramPlan, planProgram, stepsOf } from './plan-step';
import { SharedTrace } from './trace-shared';

interface Variant {
  readonly plan: ProgramPlan;
  readonly commands: readonly DispatchCommand[];
}

/** Commands between two copies, and the copies after these commands. */
interface Stretch {
  readonly commands: readonly DispatchCommand[];
  readonly copies: readonly CopySpec[];
}

interface StepVariant extends Variant {
  readonly stretches: readonly Stretch[];
}

interface CorruptedVariant extends StepVariant {
  readonly tag: string;
  /** The commands of the corruption. */
  readonly extra: readonly DispatchCommand[];
}

export interface SharedPlan {
  readonly kind: 'shared';
  /** Adapters on which copies are fast, with several devices that may compute the same. */
  readonly replicas: Replicas | undefined;
  readonly variants: readonly PlannedVariant[];
  readonly dispatches: readonly DispatchSpec[];
}

interface PlannedVariant {
  readonly key: ProgramKey;
  /** Replicated.signature. */
  readonly signature: string;
  readonly plan: ProgramPlan;
}

export interface SharedPlanInput extends Pick<GpuContext, 'programs' | 'ops' | 'layout'> {
  /** copyBufferToBuffer is much faster than a kernel that writes as much. */
  readonly fastCopies: boolean;
}

/** Plans of all programs, made before memory is allocated: planning may reserve buffers. */
export function planShared({ programs, ops, layout, fastCopies }: SharedPlanInput): SharedPlan {
  const replicas = fastCopies ? replicasOf({ programs, ops, layout }) : undefined;
  const variants = programs.map((program): PlannedVariant => {
    const key = programKey(program.kind);
    const { repeated, signature } = replicas?.usual(key) ?? { repeated: undefined, signature: '' };
    return { key, signature, plan: planProgram(program, ops, layout, { copies: fastCopies, repeated }) };
  });
  return { kind: 'shared', replicas, variants, dispatches: variants.flatMap(({ plan }) => plan.dispatches) };
}

export class SharedRun {
  /** By Program and Replicated.signature. */
  private readonly variants = new Map<string, StepVariant>();
  private readonly tracer: SharedTrace;
  /**
   * Variants that run every round of every all-reduce, so that a corruption can be inserted between rounds; made for
   * the first corruption.
   */
  private roundByRound: ReadonlyMap<ProgramKey, Variant> | undefined;
  /** Variants with the corruption; empty without one. */
  private corrupted: ReadonlyMap<ProgramKey, CorruptedVariant> = new Map();
  private stoppedAt: readonly LanePosition[] = [];

  constructor(
    private readonly context: GpuContext,
    private readonly planned: SharedPlan,
  ) {
    const commands = context.kernels.bind(planned.dispatches, context.memory, 'step');
    this.tracer = new SharedTrace(context);
    let next = 0;
    for (const { key, signature, plan } of planned.variants) {
      const start = next;
      next += plan.dispatches.length;
      this.variants.set(`${key} ${signature}`, withStretches(plan, commands.slice(start, next)));
    }
  }

  wrote(device: DeviceIndex, buffer: string, data: HostArray): void {
    this.planned.replicas?.wrote(device, buffer, data);
  }

  step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<never> | undefined {
    if (stop) return this.runUntil(key, feed, stop);
    const { memory, ring, losses } = this.context;
    const { plan, stretches } = this.corrupted.get(key) ?? this.variantFor(key, feed);
    if (this.corrupted.has(key)) this.planned.replicas?.forget();
    runLoads(plan.loads, feed, memory);
    const encoder = memory.device.createCommandEncoder();
    for (const { commands, copies } of stretches) {
      const pass = encoder.beginComputePass();
      encodeCommands(pass, commands);
      pass.end();
      encodeCopies(encoder, copies, memory);
    }
    ring.append(encoder, must(losses.get(key), 'losses'), (buffer) => memory.buffer(buffer));
    memory.device.queue.submit([encoder.finish()]);
    ring.submitted();
    return undefined;
  }

  trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]> {
    if (stop) return this.runUntil(key, feed, stop);
    const corrupted = this.corrupted.get(key);
    if (corrupted) this.planned.replicas?.forget();
    else this.planned.replicas?.step(key, feed);
    return this.tracer.run(key, feed, (tag) => (corrupted?.tag === tag ? corrupted.extra : []));
  }

  /** Positions in the running step; empty unless a rank was stopped in it, because a step is one submit. */
  positions(): readonly LanePosition[] {
    return this.stoppedAt;
  }

  /** Runs the part of a step that is reached although one rank stops. */
  private async runUntil(key: ProgramKey, feed: Feed, stop: Stop): Promise<never> {
    const program = programOf(this.context.programs, key);
    const ran = reach(program, stop.devices, stop.instruction);
    this.planned.replicas?.forget();
    await this.tracer.runOnly(key, feed, ran);
    this.stoppedAt = positionsAfter(program, ran);
    return stop.reached();
  }

  /** The usual variant, or one for replicas that differ; that is made when it is first needed. */
  private variantFor(key: ProgramKey, feed: Feed): StepVariant {
    const { programs, ops, layout, kernels, memory } = this.context;
    const { repeated, signature } = this.planned.replicas?.step(key, feed) ?? { repeated: undefined, signature: '' };
    const name = `${key} ${signature}`;
    const known = this.variants.get(name);
    if (known) return known;
    const plan = planProgram(programOf(programs, key), ops, layout, { copies: true, repeated });
    const made = withStretches(plan, kernels.bind(plan.dispatches, memory, `step, ${signature}`, { now: true }));
    this.variants.set(name, made);
    return made;
  }

  corrupt(corruption: Corruption | undefined, source: number): void {
    const { programs, ops, layout, kernels, memory } = this.context;
    this.corrupted = new Map();
    if (!corruption) return;
    const bind = (specs: readonly DispatchSpec[], label: string) => kernels.bind(specs, memory, label, { now: true });
    this.roundByRound ??= new Map(
      programs.map((program) => {
        const plan = planProgram(program, ops, layout, { fold: false });
        return [programKey(program.kind), { plan, commands: bind(plan.dispatches, 'step, round by round') }];
      }),
    );
    const { tag } = corruption;
    const lists = [...this.roundByRound].flatMap(([key, { plan, commands }]) => {
      const position = plan.arrived.get(tag);
      const program = programs.find((p) => programKey(p.kind) === key);
      if (position === undefined || !program) return [];
      const extra = bind(planCorruption(program, tag, source, layout), 'corruption');
      const all = [...commands.slice(0, position), ...extra, ...commands.slice(position)];
      return [[key, { ...withStretches(plan, all), tag, extra }] as const];
    });
    this.corrupted = new Map(lists);
  }
}

/** Undefined: no Program computes the same on several devices. */
function replicasOf({ programs, ops, layout }: Pick<GpuContext, 'programs' | 'ops' | 'layout'>): Replicas | undefined {
  if (programs.every(({ lanes }) => lanes.length < 2)) return undefined;
  const replicas = new Replicas({
    programs,
    ops,
    steps: (program) => stepsOf(program, ops, layout),
    isWorthCopying: (key, group) => isWorthCopying(group, (device, name) => layout.locate(key, device, name)),
  });
  return programs.some(({ kind }) => replicas.usual(programKey(kind)).repeated.size > 0) ? replicas : undefined;
}

function withStretches(plan: ProgramPlan, commands: readonly DispatchCommand[]): StepVariant {
  let start = 0;
  const stretches = plan.copies.map(({ dispatches, copies }): Stretch => {
    const own = commands.slice(start, dispatches);
    start = dispatches;
    return { commands: own, copies };
  });
  const rest = { commands: commands.slice(start), copies: [] };
  return { plan, commands, stretches: rest.commands.length > 0 || start === 0 ? [...stretches, rest] : stretches };
}
