/** What the benchmark drives: a session without a page, stepping as fast as play mode does. */
import type { Files } from '../protocol/session';
import { browserGpu } from '../runtime/webgpu/browser-gpu';
import { createBlueprint } from './blueprint';
import { DeviceKeeper } from './device-keeper';
import { parseConfig } from './parse-config';
import { createTraining } from './training';

export interface BenchSession {
  /** Runs n steps with several in flight; resolves to the last loss. */
  step(n: number): Promise<number>;
  /** Current weights in state_dict order. */
  parameters(): Promise<Float32Array[]>;
  dispose(): void;
}

export async function benchSession(config: unknown, files: Files = {}): Promise<BenchSession> {
  const blueprint = createBlueprint({ ...parseConfig(config), compareSingle: false }, files);
  const gpu = browserGpu();
  const keeper = new DeviceKeeper(gpu, true);
  const training = await createTraining(blueprint, { keeper, gpu });
  return {
    async step(n) {
      const records = await training.run(n);
      return records.at(-1)?.loss ?? Number.NaN;
    },
    async parameters() {
      const { devices } = await training.weights();
      return blueprint.parameters.map(({ name }) => devices.find((d) => d.has(name))?.get(name) ?? new Float32Array(0));
    },
    dispose() {
      void training.dispose().then(() => keeper.forget());
    },
  };
}
