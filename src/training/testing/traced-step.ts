/** Traces one step of a real run and keeps the Program that ran, for tests that compare the two. */
import { expect } from 'vitest';
import { must } from '../../base/invariant';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import type { Program, Recv, Send } from '../../program/instruction';
import { programOf } from '../../program/program-of';
import type { ConfigInput } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';
import { programKey } from '../../protocol/step-kind';
import type { StepTrace } from '../../protocol/trace';
import { createBlueprint } from '../blueprint';
import { createTraining } from '../create-training';
import { DeviceKeeper } from '../device-keeper';
import type { Training } from '../training';

const base: ConfigInput = {
  device: 'cpu',
  worldSize: 3,
  batchSize: 12,
  data: { type: 'xor', samples: 60 },
  compareSingle: false,
};

export interface Traced {
  readonly training: Training;
  readonly program: Program;
  readonly info: SessionInfo;
  readonly trace: StepTrace;
}

/** Trains a step or more, then traces one. */
export async function traced(config: ConfigInput, before = 1): Promise<Traced> {
  const blueprint = createBlueprint(parseConfig({ ...base, ...config }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, false), gpu: undefined });
  if (before > 0) await training.run(before);
  const trace = await training.trace();
  const program = programOf(blueprint.programs, programKey(trace.kind));
  return { training, program, info: sessionInfo(training), trace };
}

/** Sends and receives of a Program, joined by tag. */
export function transfersOf(program: Program) {
  const sides = program.lanes.flatMap(({ device, instructions }) => instructions.map((i) => ({ device, i })));
  return sides.flatMap(({ device: to, i: recv }) => {
    if (recv.kind !== 'recv') return [];
    const isSend = (s: (typeof sides)[number]): s is { device: number; i: Send } =>
      s.i.kind === 'send' && s.i.tag === recv.tag;
    const { device: from, i: send } = must(sides.find(isSend), recv.tag);
    return [{ from, to, send, recv: recv satisfies Recv }];
  });
}

/** Every queue in the Program's order, and nothing before what it waits for. */
export function expectOrder({ program, trace }: Pick<Traced, 'program' | 'trace'>): void {
  for (const { device, instructions } of program.lanes) {
    for (const queue of ['compute', 'comm'] as const) {
      const ran = trace.events.filter((e) => e.device === device && e.queue === queue).map((e) => e.id);
      expect(ran).toEqual(instructions.filter((i) => i.queue === queue && i.kind !== 'wait').map((i) => i.id));
    }
  }
  const seen = new Set<number>();
  for (const e of trace.events) {
    for (const dep of e.deps) expect(seen).toContain(dep);
    if (e.kind === 'recv') expect(e.deps).toContain(must(e.match, 'match'));
    seen.add(e.id);
  }
}
