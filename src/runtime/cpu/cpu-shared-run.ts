/** Runs Programs whose lanes are all hosted here: in one merged order, synchronously. */
import { must } from '../../base/invariant';
import type { Program } from '../../program/instruction';
import { programOf } from '../../program/program-of';
import { type LanePosition, positionsAfter, reach } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import { nowUs } from '../clock';
import type { InstructionRecord, Stop } from '../executor';
import { type CpuContext, isShared } from './cpu-context';
import { type CpuAction, programActions } from './program-actions';

export class CpuSharedRun {
  /** Programs whose lanes are all hosted here. */
  private readonly own: ReadonlyMap<ProgramKey, Program>;
  /** Made when the Program first runs: many runs end before they need every kind of step. */
  private readonly folded = new Map<ProgramKey, readonly CpuAction[]>();
  /** One action per instruction; made for the first traced step. */
  private readonly apart = new Map<ProgramKey, readonly CpuAction[]>();
  private stoppedAt: readonly LanePosition[] = [];

  constructor(private readonly context: CpuContext) {
    const own = context.programs.filter((program) => isShared(context, program));
    this.own = new Map(own.map((program) => [programKey(program.kind), program]));
  }

  has(key: ProgramKey): boolean {
    return this.own.has(key);
  }

  step(key: ProgramKey): void {
    const actions = this.context.given.corruption ? this.roundByRound(key) : this.asFolds(key);
    for (const action of actions) action.run();
  }

  /** Runs the part of a step that is reached although one rank stops. */
  stepUntil(key: ProgramKey, stop: Stop): Promise<never> {
    const program = programOf(this.context.programs, key);
    const ran = reach(program, stop.devices, stop.instruction);
    for (const action of this.roundByRound(key))
      if (action.parts.every((part) => ran.has(part.instruction.id))) action.run();
    this.stoppedAt = positionsAfter(program, ran);
    return stop.reached();
  }

  trace(key: ProgramKey): readonly InstructionRecord[] {
    return this.roundByRound(key).flatMap((action) => {
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
  }

  positions(): readonly LanePosition[] {
    return this.stoppedAt;
  }

  private asFolds(key: ProgramKey): readonly CpuAction[] {
    return this.actions(this.folded, key, true);
  }

  private roundByRound(key: ProgramKey): readonly CpuAction[] {
    return this.actions(this.apart, key, false);
  }

  private actions(made: Map<ProgramKey, readonly CpuAction[]>, key: ProgramKey, fold: boolean): readonly CpuAction[] {
    const known = made.get(key);
    if (known) return known;
    const actions = programActions(this.context, must(this.own.get(key), 'program'), { fold });
    made.set(key, actions);
    return actions;
  }
}
