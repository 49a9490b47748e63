/**
 * Measures a step of one lane against a transport: every instruction is submitted and awaited alone and timed by wall
 * clock, and its outputs are copied aside and read with one map at the end. A recv starts when its message has arrived;
 * a send ends when its message has left.
 */
import { must } from '../../base/invariant';
import type { Lane } from '../../program/instruction';
import type { ProgramKey } from '../../protocol/step-kind';
import { nowUs } from '../clock';
import type { InstructionRecord } from '../executor';
import { type CapturePlan, captureBytes, encodeCaptures, planCaptures, readCaptures } from './captures';
import type { GpuContext } from './context';
import type { RemoteAction } from './remote-plan';
import type { StepObserver } from './remote-step';

export class RemoteTrace implements StepObserver {
  private readonly captures: ReadonlyMap<number, readonly CapturePlan[]>;
  private readonly bytes: number;
  private readonly target: GPUBuffer;
  private readonly spans: { readonly id: number; readonly startUs: number; readonly durUs: number }[] = [];
  private startUs = 0;

  constructor(
    private readonly context: GpuContext,
    key: ProgramKey,
    private readonly lane: Lane,
  ) {
    let bytes = 0;
    this.captures = new Map(
      lane.instructions.map((instruction) => {
        const plans = planCaptures(instruction, (name) => context.layout.locate(key, lane.device, name), bytes);
        bytes += captureBytes(plans);
        return [instruction.id, plans];
      }),
    );
    this.bytes = bytes;
    this.target = context.staging.acquire(bytes);
  }

  begin(): void {
    this.startUs = nowUs();
  }

  encoded({ instruction }: RemoteAction, encoder: () => GPUCommandEncoder): void {
    const plans = must(this.captures.get(instruction.id), 'captures');
    if (plans.length > 0) encodeCaptures(encoder(), plans, (buffer) => this.context.memory.buffer(buffer), this.target);
  }

  async submitted({ instruction }: RemoteAction, sent: Promise<unknown>): Promise<void> {
    if (instruction.kind === 'wait') return;
    if (instruction.kind === 'send') await sent;
    else await this.context.memory.device.queue.onSubmittedWorkDone();
    this.spans.push({ id: instruction.id, startUs: this.startUs, durUs: nowUs() - this.startUs });
  }

  async records(): Promise<readonly InstructionRecord[]> {
    const image = await this.context.staging.take(this.target, this.bytes);
    return this.spans.map((span) => ({
      ...span,
      device: this.lane.device,
      captured: readCaptures(must(this.captures.get(span.id), 'captures'), image),
    }));
  }
}
