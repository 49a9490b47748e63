/**
 * Runs DDP's constructor before the first step of a run. For the page, the first time is traced. Made by
 * training-on-worlds.ts.
 */
import { CONSTRUCT } from '../protocol/step-kind';
import type { StepTrace } from '../protocol/trace';
import { emptyFeed } from '../runtime/launch/empty-feed';
import type { World } from '../runtime/launch/world';
import type { Blueprint } from './blueprint';
import type { StepTracer } from './step-tracer';

/** The constructor needs no input from the host. */
const CONSTRUCTS = emptyFeed(CONSTRUCT);

export interface ConstructorStep {
  readonly trace: StepTrace | undefined;
  /** Does nothing in a mode that has no constructor. */
  run(): Promise<void>;
}

export function createConstructorStep(
  { programs }: Blueprint,
  world: World,
  tracer: StepTracer,
  isTraced: boolean,
): ConstructorStep {
  const program = programs.find(({ kind }) => kind.type === 'construct');
  let trace: StepTrace | undefined;
  return {
    get trace() {
      return trace;
    },
    async run() {
      if (program && isTraced && !trace) {
        const before = await tracer.values();
        const { records } = await world.trace(CONSTRUCTS);
        trace = tracer.ofConstructor(program, { before, records });
      } else if (program) await world.run([CONSTRUCTS]);
    },
  };
}
