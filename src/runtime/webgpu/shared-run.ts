/**
 * Runs Programs whose lanes are all on this GPUDevice. A step is host writes, then one encoder with one compute pass
 * that replays the bound commands and the copies of the losses, and one submit.
 */
import { must } from '../../base/invariant';
import { programOf } from '../../program/program-of';
import { type LanePosition, positionsAfter, reach } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { Corruption, Feed, InstructionRecord, Stop } from '../executor';
import { type DispatchCommand, encodeCommands } from './bind-dispatches';
import type { GpuContext } from './context';
import { planCorruption } from './corruption';
import type { DispatchSpec } from './dispatch';
import { runLoads } from './plan-loads';
import { type ProgramPlan, planProgram } from './plan-step';
import { SharedTrace } from './trace-shared';

interface Variant {
  readonly plan: ProgramPlan;
  readonly commands: readonly DispatchCommand[];
}

interface CorruptedVariant extends Variant {
  readonly tag: string;
  /** The commands of the corruption. */
  readonly extra: readonly DispatchCommand[];
}

export interface SharedPlan {
  readonly kind: 'shared';
  readonly variants: ReadonlyMap<ProgramKey, ProgramPlan>;
  readonly dispatches: readonly DispatchSpec[];
}

/** Plans of all programs, made before memory is allocated: planning may reserve buffers. */
export function planShared({ programs, ops, layout }: Pick<GpuContext, 'programs' | 'ops' | 'layout'>): SharedPlan {
  const variants = new Map(programs.map((program) => [programKey(program.kind), planProgram(program, ops, layout)]));
  return { kind: 'shared', variants, dispatches: [...variants.values()].flatMap((plan) => plan.dispatches) };
}

export class SharedRun {
  private readonly variants: ReadonlyMap<ProgramKey, Variant>;
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
    plan: SharedPlan,
  ) {
    const commands = context.kernels.bind(plan.dispatches, context.memory, 'step');
    this.tracer = new SharedTrace(context);
    let next = 0;
    this.variants = new Map(
      [...plan.variants].map(([key, own]) => {
        const start = next;
        next += own.dispatches.length;
        return [key, { plan: own, commands: commands.slice(start, next) }];
      }),
    );
  }

  step(key: ProgramKey, feed: Feed, stop?: Stop): Promise<never> | undefined {
    if (stop) return this.runUntil(key, feed, stop);
    const { memory, ring, losses } = this.context;
    const { plan, commands } = this.corrupted.get(key) ?? must(this.variants.get(key), `program '${key}'`);
    runLoads(plan.loads, feed, memory);
    const encoder = memory.device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeCommands(pass, commands);
    pass.end();
    ring.append(encoder, must(losses.get(key), 'losses'), (buffer) => memory.buffer(buffer));
    memory.device.queue.submit([encoder.finish()]);
    ring.submitted();
    return undefined;
  }

  trace(key: ProgramKey, feed: Feed, stop?: Stop): Promise<readonly InstructionRecord[]> {
    if (stop) return this.runUntil(key, feed, stop);
    const corrupted = this.corrupted.get(key);
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
    await this.tracer.runOnly(key, feed, ran);
    this.stoppedAt = positionsAfter(program, ran);
    return stop.reached();
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
      return [[key, { plan, commands: all, tag, extra }] as const];
    });
    this.corrupted = new Map(lists);
  }
}
