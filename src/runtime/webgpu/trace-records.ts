/**
 * Completes the measurements of one traced step to a list of records in program order: a send gets the times of its
 * transfer, and a wait zero duration at the moment when both its queue and its event were ready. Shared by the two ways
 * of tracing.
 */
import { at, must } from '../../base/invariant';
import type { Instruction, InstructionId, Lane } from '../../program/instruction';
import type { DeviceIndex } from '../../protocol/trace';
import type { InstructionRecord } from '../executor';

interface QueueState {
  readonly device: DeviceIndex;
  readonly list: readonly Instruction[];
  next: number;
  endUs: number;
}

/** `measured`: in the order of execution, with every instruction of the lanes except waits. */
export function completeRecords(
  lanes: readonly Lane[],
  measured: readonly InstructionRecord[],
): readonly InstructionRecord[] {
  const byId = new Map(measured.map((record) => [record.id, record]));
  const home = new Map<InstructionId, { queue: QueueState; position: number }>();
  const signaller = new Map<string, InstructionId>();
  const queues: QueueState[] = [];
  for (const { device, instructions } of lanes) {
    for (const name of ['compute', 'comm'] as const) {
      const queue = { device, list: instructions.filter((i) => i.queue === name), next: 0, endUs: 0 };
      queues.push(queue);
      queue.list.forEach((instruction, position) => {
        home.set(instruction.id, { queue, position });
        if (instruction.signals !== undefined) signaller.set(`${device} ${instruction.signals}`, instruction.id);
      });
    }
  }
  const records: InstructionRecord[] = [];
  const emitted = new Map<InstructionId, number>();

  const advance = (queue: QueueState, position: number): void => {
    while (queue.next <= position) {
      const instruction = at(queue.list, queue.next++);
      const record =
        instruction.kind === 'wait'
          ? waited(queue, instruction.id, instruction.event)
          : must(byId.get(instruction.id), `measurement of ${instruction.id}`);
      queue.endUs = Math.max(queue.endUs, record.startUs + record.durUs);
      emitted.set(instruction.id, record.startUs + record.durUs);
      records.push(record);
    }
  };
  const waited = (queue: QueueState, id: InstructionId, event: string): InstructionRecord => {
    const source = must(signaller.get(`${queue.device} ${event}`), `signal of ${event}`);
    const { queue: other, position } = must(home.get(source), event);
    advance(other, position);
    return {
      id,
      device: queue.device,
      startUs: Math.max(queue.endUs, emitted.get(source) ?? 0),
      durUs: 0,
      captured: [],
    };
  };

  for (const { id } of measured) {
    const { queue, position } = must(home.get(id), `instruction ${id}`);
    advance(queue, position);
  }
  for (const queue of queues) advance(queue, queue.list.length - 1);
  return records;
}
