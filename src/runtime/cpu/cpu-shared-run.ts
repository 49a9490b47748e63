/**
 * Runs Programs whose lanes are all hosted here: in one merged order, synchronously. What replicas with equal contents
 * would compute several times is computed once and copied (replicas.ts).
 */
import { must } from '../../base/invariant';
import { Part } from '../../base/part';
import type { BufferSpec, Program } from '../../program/instruction';
import { programOf } from '../../program/program-of';
import { type LanePosition, positionsAfter, reach } from '../../program/reach';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import type { DeviceIndex } from '../../protocol/trace';
import { elements, type HostArray } from '../../tensor/shape';
import { nowUs } from '../clock';
import type { InstructionRecord, Stop } from '../executor';
import type { Replicas, Replicated } from '../replicas';
import { type CpuContext, isShared } from './cpu-context';
import { type CpuAction, programActions } from './program-actions';

/** Loaded for Programs with replicas, before their executor is made. */
export const REPLICAS = new Part('What replicas compute only once', () => import('./cpu-replicas'));
if (!globalThis.LOCKSTEP_SITE) await REPLICAS.load();

/**
 * Copying fewer elements saves less than it takes to find out which replicas are equal: about 30 ms per Program of 8
 * ranks.
 */
const LONG = 4096;

/** Whether several lanes hold a persistent buffer of the same name that is long enough for copies. */
export const mayRepeat = (programs: readonly Program[]): boolean =>
  programs.some(({ lanes }) => {
    const names = lanes.flatMap(({ buffers }) => buffers.filter(isLong).map(({ name }) => name));
    return new Set(names).size < names.length;
  });

const isLong = ({ persistent, shape }: BufferSpec): boolean => persistent && elements(shape) >= LONG;

export class CpuSharedRun {
  /** Programs whose lanes are all hosted here. */
  private readonly own: ReadonlyMap<ProgramKey, Program>;
  /** By Program and Replicated.signature. Made at first use: many runs end before they need every kind of step. */
  private readonly folded = new Map<string, readonly CpuAction[]>();
  /** One action per instruction; made for the first traced step. */
  private readonly apart = new Map<ProgramKey, readonly CpuAction[]>();
  /** Undefined: no Program has a computation whose results are worth copying. */
  private readonly replicas: Replicas | undefined;
  private stoppedAt: readonly LanePosition[] = [];

  constructor(private readonly context: CpuContext) {
    const own = context.programs.filter((program) => isShared(context, program));
    this.own = new Map(own.map((program) => [programKey(program.kind), program]));
    this.replicas = mayRepeat(own) ? REPLICAS.get().replicasOf(own, context.ops, LONG) : undefined;
  }

  has(key: ProgramKey): boolean {
    return this.own.has(key);
  }

  /** The host has written the buffer. */
  wrote(device: DeviceIndex, buffer: string, stored: HostArray): void {
    this.replicas?.wrote(device, buffer, stored);
  }

  step(key: ProgramKey): void {
    const { feed, corruption } = this.context.given;
    if (corruption) this.replicas?.forget();
    const actions = corruption ? this.roundByRound(key) : this.asFolds(key, this.replicas?.step(key, feed));
    for (const action of actions) action.run();
  }

  /** Runs the part of a step that is reached although one rank stops. */
  stepUntil(key: ProgramKey, stop: Stop): Promise<never> {
    const program = programOf(this.context.programs, key);
    const ran = reach(program, stop.devices, stop.instruction);
    this.replicas?.forget();
    for (const action of this.roundByRound(key))
      if (action.parts.every((part) => ran.has(part.instruction.id))) action.run();
    this.stoppedAt = positionsAfter(program, ran);
    return stop.reached();
  }

  trace(key: ProgramKey): readonly InstructionRecord[] {
    const { feed, corruption } = this.context.given;
    if (corruption) this.replicas?.forget();
    else this.replicas?.step(key, feed);
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

  private asFolds(key: ProgramKey, replicated: Replicated | undefined): readonly CpuAction[] {
    const name = replicated ? `${key} ${replicated.signature}` : key;
    return known(this.folded, name, () =>
      replicated
        ? REPLICAS.get().actionsWithCopies(this.context, this.program(key), replicated.repeated)
        : programActions(this.context, this.program(key), { fold: true }),
    );
  }

  private roundByRound(key: ProgramKey): readonly CpuAction[] {
    return known(this.apart, key, () => programActions(this.context, this.program(key), { fold: false }));
  }

  private program(key: ProgramKey): Program {
    return must(this.own.get(key), 'program');
  }
}

function known<K>(made: Map<K, readonly CpuAction[]>, key: K, make: () => readonly CpuAction[]): readonly CpuAction[] {
  const found = made.get(key) ?? make();
  made.set(key, found);
  return found;
}
