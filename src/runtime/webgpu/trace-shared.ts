/**
 * Traces one step of a shared Program: each instruction has its own compute pass with timestamps at both ends, and its
 * outputs are then copied aside; everything is read with one map. Without timestamp-query each instruction is submitted
 * and awaited alone and timed by wall clock. It runs the same kernels on the same memory as step(), so the bits are the
 * same.
 */
import { at, must } from '../../base/invariant';
import type { InstructionId, Program } from '../../program/instruction';
import { programOf } from '../../program/program-of';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import { nowUs } from '../clock';
import type { Feed, InstructionRecord } from '../executor';
import { type DispatchCommand, encodeCommands } from './bind-dispatches';
import { type CapturePlan, captureBytes, encodeCaptures, planCaptures, readCaptures } from './captures';
import type { GpuContext } from './context';
import { runLoads } from './plan-loads';
import { type InstructionPlan, planInstructions } from './plan-step';
import type { TickSpan } from './spread-ticks';
import { TimestampLog } from './timestamp-log';
import { completeRecords } from './trace-records';

interface TracedStep {
  readonly planned: InstructionPlan;
  readonly commands: readonly DispatchCommand[];
  readonly captures: readonly CapturePlan[];
}

export class SharedTrace {
  private readonly variants = new Map<ProgramKey, Promise<readonly TracedStep[]>>();
  private log: TimestampLog | undefined;

  constructor(private readonly context: GpuContext) {}

  /** `extra(tag)`: commands that a corruption adds after the transfer with this tag. */
  async run(
    key: ProgramKey,
    feed: Feed,
    extra: (tag: string) => readonly DispatchCommand[],
  ): Promise<readonly InstructionRecord[]> {
    const { programs, opened, memory, ring, losses, staging } = this.context;
    const program = programOf(programs, key);
    const steps = await this.stepsOf(program);
    const bytes = captureBytes(steps.flatMap((step) => step.captures));
    const target = staging.acquire(bytes);
    const source = (buffer: number) => memory.buffer(buffer);
    const commandsOf = (step: TracedStep): readonly DispatchCommand[] => {
      const extras = step.planned.ran.flatMap(({ instruction }) =>
        instruction.kind === 'recv' ? extra(instruction.tag) : [],
      );
      return extras.length > 0 ? [...step.commands, ...extras] : step.commands;
    };
    const loadSpans = steps.map(({ planned }) => {
      const startUs = nowUs();
      runLoads(planned.loads, feed, memory);
      return { startUs, durUs: nowUs() - startUs };
    });

    let spans: readonly TickSpan[];
    let encoder = memory.device.createCommandEncoder({ label: 'trace' });
    if (opened.timestamps) {
      if (!this.log || this.log.capacity < steps.length)
        this.log = new TimestampLog(memory, Math.max(steps.length, 64));
      const log = this.log;
      steps.forEach((step, i) => {
        const pass = encoder.beginComputePass({ timestampWrites: log.writes(i) });
        encodeCommands(pass, commandsOf(step));
        pass.end();
        encodeCaptures(encoder, step.captures, source, target);
      });
      const stamps = staging.acquire(steps.length * 16);
      log.resolve(encoder, steps.length, stamps);
      ring.append(encoder, must(losses.get(key), 'losses'), source);
      const submittedUs = nowUs();
      memory.device.queue.submit([encoder.finish()]);
      ring.submitted();
      spans = await log.read(stamps, steps.length, submittedUs, staging);
    } else {
      const measured: TickSpan[] = [];
      for (const step of steps) {
        const pass = encoder.beginComputePass();
        encodeCommands(pass, commandsOf(step));
        pass.end();
        const startUs = nowUs();
        memory.device.queue.submit([encoder.finish()]);
        await memory.device.queue.onSubmittedWorkDone();
        measured.push({ startUs, durUs: nowUs() - startUs });
        encoder = memory.device.createCommandEncoder({ label: 'trace' });
        encodeCaptures(encoder, step.captures, source, target);
      }
      ring.append(encoder, must(losses.get(key), 'losses'), source);
      memory.device.queue.submit([encoder.finish()]);
      ring.submitted();
      spans = measured;
    }
    const image = await staging.take(target, bytes);
    const measured = steps.flatMap(({ planned, commands, captures }, i) => {
      const { ran, loads } = planned;
      const span = loads.length > 0 && commands.length === 0 ? at(loadSpans, i) : at(spans, i);
      return ran.map(
        ({ device, instruction }, k): InstructionRecord => ({
          id: instruction.id,
          device,
          ...span,
          captured: k === ran.length - 1 ? readCaptures(captures, image) : [],
        }),
      );
    });
    return completeRecords(program.lanes, measured);
  }

  /** Runs only these instructions, without timing or captures. */
  async runOnly(key: ProgramKey, feed: Feed, ids: ReadonlySet<InstructionId>): Promise<void> {
    const { programs, memory } = this.context;
    const program = programOf(programs, key);
    const encoder = memory.device.createCommandEncoder({ label: 'part of a step' });
    for (const { planned, commands } of await this.stepsOf(program)) {
      if (!planned.ran.every(({ instruction }) => ids.has(instruction.id))) continue;
      runLoads(planned.loads, feed, memory);
      const pass = encoder.beginComputePass();
      encodeCommands(pass, commands);
      pass.end();
    }
    memory.device.queue.submit([encoder.finish()]);
  }

  private stepsOf(program: Program): Promise<readonly TracedStep[]> {
    const known = this.variants.get(programKey(program.kind)) ?? this.prepare(program);
    this.variants.set(programKey(program.kind), known);
    return known;
  }

  private async prepare(program: Program): Promise<readonly TracedStep[]> {
    const { layout, ops, kernels, memory } = this.context;
    const planned = planInstructions(program, ops, layout);
    const specs = planned.flatMap((step) => step.dispatches);
    await kernels.compile(specs);
    const commands = kernels.bind(specs, memory, `trace of ${programKey(program.kind)}`);
    let next = 0;
    let bytes = 0;
    return planned.map((step) => {
      const own = commands.slice(next, next + step.dispatches.length);
      next += step.dispatches.length;
      const last = must(step.ran.at(-1), 'instruction');
      const captures = planCaptures(
        last.instruction,
        (name) => layout.locate(programKey(program.kind), last.device, name),
        bytes,
      );
      bytes += captureBytes(captures);
      return { planned: step, commands: own, captures };
    });
  }
}
