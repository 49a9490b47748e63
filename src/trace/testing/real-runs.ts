/** Runs of a few steps in every mode, with their traces, for properties of what is derived from a trace. */
import * as fc from 'fast-check';
import { parseConfig } from '../../config/parse-config';
import { sessionInfo } from '../../headless/session-info';
import { type ConfigInput, MODES, type Mode } from '../../protocol/config';
import type { SessionInfo } from '../../protocol/session-info';
import type { StepTrace } from '../../protocol/trace';
import { createBlueprint } from '../../training/blueprint';
import { createTraining } from '../../training/create-training';
import { DeviceKeeper } from '../../training/device-keeper';
import type { Weights } from '../../training/weights/weights';

export interface RealRun {
  readonly info: SessionInfo;
  readonly traces: readonly StepTrace[];
  readonly weights: Weights;
}

export interface RealRuns {
  run(input: ConfigInput, steps: number): Promise<RealRun>;
  /** Checks a property of many runs. */
  holds(check: (run: RealRun) => void, steps?: number): Promise<void>;
  forget(): void;
}

/** Every property draws the same configurations: a file trains each of them once. */
export function realRuns(): RealRuns {
  const runs = new Map<string, Promise<RealRun>>();
  function run(input: ConfigInput, steps: number): Promise<RealRun> {
    const key = JSON.stringify([input, steps]);
    const kept = runs.get(key) ?? runAnew(input, steps);
    runs.set(key, kept);
    return kept;
  }
  return {
    run,
    async holds(check, steps = 4) {
      for (const [modes, numRuns] of [
        [MODES.filter((mode) => mode !== CUT), 25],
        [[CUT], 5],
      ] as const)
        await fc.assert(
          fc.asyncProperty(configsOf(modes), async (config) => check(await run(config, steps))),
          { numRuns },
        );
    },
    forget: () => runs.clear(),
  };
}

async function runAnew(input: ConfigInput, steps: number): Promise<RealRun> {
  const blueprint = createBlueprint(parseConfig({ device: 'cpu', compareSingle: false, ...input }), {});
  const training = await createTraining(blueprint, { keeper: new DeviceKeeper(undefined, true), gpu: undefined });
  const traces: StepTrace[] = [];
  for (let k = 0; k < steps; k++) traces.push(await training.trace());
  const result = { info: sessionInfo(training), traces, weights: await training.weights() };
  await training.dispose();
  return result;
}

/**
 * Three layers, so that up to three devices can share them; 30 rows in batches of 12, so that the last of an epoch is
 * short.
 */
const configsOf = (modes: readonly Mode[]) =>
  fc
    .record({
      mode: fc.constantFrom(...modes),
      worldSize: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(1000),
      width: fc.integer({ min: 1, max: 9 }),
      batchSize: fc.integer({ min: 4, max: 12 }),
      algorithm: fc.constantFrom('ring' as const, 'naive' as const),
      overlap: fc.boolean(),
      capBytes: fc.integer({ min: 11, max: 900 }),
    })
    .map(
      ({ width, algorithm, overlap, capBytes, ...rest }): ConfigInput => ({
        ...rest,
        model: {
          layers: [
            { type: 'Linear', in: 2, out: width },
            { type: 'Tanh' },
            { type: 'Linear', in: width, out: width },
            { type: 'ReLU' },
            { type: 'Linear', in: width, out: 1 },
          ],
        },
        data: { type: 'xor', samples: 30 },
        ddp: { algorithm, overlap, bucketCapMb: capBytes / 2 ** 20 },
        // The shortest last batch has two rows.
        pipeline: { schedule: 'GPipe', microBatches: 2 },
      }),
    );

/** A mode whose layers are cut has collectives in the forward pass; it has cases of its own. */
const CUT = 'tensor';
