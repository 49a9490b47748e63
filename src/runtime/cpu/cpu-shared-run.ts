/** Runs Programs whose lanes all live here: one merged order, synchronously. */
import { must } from '../../base/invariant';
import { programOf } from '../../program/program-of';
import { type LanePosition, positionsAfter, reach } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import { nowUs } from '../clock';
import type { InstructionRecord, Stop } from '../executor';
import { type CpuContext, isShared } from './cpu-context';
import { type CpuAction, programActions } from './program-actions';

export class CpuSharedRun {
  private readonly folded: ReadonlyMap<ProgramKey, readonly CpuAction[]>;
  /** Every instruction by itself; made when one is looked at. */
  private readonly apart = new Map<ProgramKey, readonly CpuAction[]>();
  private stoppedAt: readonly LanePosition[] = [];

  constructor(private readonly context: CpuContext) {
    const own = context.programs.filter((program) => isShared(context, program));
    this.folded = new Map(own.map((p) => [programKey(p.kind), programActions(context, p, { fold: true })]));
  }

  has(key: ProgramKey): boolean {
    return this.folded.has(key);
  }

  step(key: ProgramKey): void {
    const actions = this.context.given.corruption ? this.roundByRound(key) : must(this.folded.get(key), 'actions');
    for (const action of actions) action.run();
  }

  /** Of a step that one rank does not get through: what is done all the same. */
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

  private roundByRound(key: ProgramKey): readonly CpuAction[] {
    const known =
      this.apart.get(key) ?? programActions(this.context, programOf(this.context.programs, key), { fold: false });
    this.apart.set(key, known);
    return known;
  }
}
