/**
 * What fails by itself in the modes whose script is one process: under a parameter server the server and every worker
 * (over torch.distributed.rpc they are processes), under DataParallel the process as a whole. The run starts again from
 * its last checkpoint and ends as if nothing had happened, bit for bit.
 */
import { describe, expect, test } from 'vitest';
import { runConfig } from '../../headless/run';
import type { ConfigInput } from '../../protocol/config';
import { PLACEMENTS } from '../testing/placements';
import type { PlannedFault } from './fault-plan';

const base: ConfigInput = {
  device: 'cpu',
  worldSize: 3,
  steps: 5,
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 4 },
      { type: 'Tanh' },
      { type: 'Dropout', p: 0.25 },
      { type: 'Linear', in: 4, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 40 },
  batchSize: 9,
  compareSingle: false,
  timeoutS: 0.3,
  maxRestarts: 9,
};
const synchronous: ConfigInput = { ...base, mode: 'parameterServer' };
const asynchronous: ConfigInput = { ...synchronous, parameterServer: { synchronous: false, staleness: 1 } };
const dataParallel: ConfigInput = { ...base, mode: 'dataParallel' };

async function run(config: ConfigInput, faults: readonly PlannedFault[] = []) {
  const { report } = await runConfig(config, {}, { faults });
  return { report, said: report.notices.map(({ text }) => text).join('\n') };
}

describe.each(PLACEMENTS)('$title', ({ placement }) => {
  test.each([
    ['synchronous', synchronous],
    ['asynchronous', asynchronous],
  ])('a parameter server, %s: server or worker is killed or hangs', async (_, given) => {
    const config = { ...given, placement };
    const whole = await run(config);
    expect(whole.report.parametersSha256).toBeDefined();
    for (const rank of [0, 1, 2])
      for (const what of ['kill', 'hang'] as const) {
        const { report, said } = await run(config, [{ what, rank, step: 2 }]);
        expect(report.error).toBeUndefined();
        expect(report.losses).toEqual(whole.report.losses);
        expect(report.parametersSha256).toEqual(whole.report.parametersSha256);
        expect(said).toMatch(
          what === 'kill'
            ? `${rank === 0 ? 'Server' : `Worker ${rank}`} (cuda:${rank}) was killed at step 2`
            : /RPC ran for more than set timeout \(300 ms\) and will now be marked with an error at step 2/,
        );
        if (what === 'hang') expect(said).toContain(`${rank === 0 ? 'server' : `worker ${rank}`} is at `);
        expect(said).not.toMatch(/rank \d/i);
        expect(said).toContain('from step 2');
      }
  });

  test('a worker that hangs is named, and the ranks that wait for it', async () => {
    const { report } = await run({ ...synchronous, placement, maxRestarts: 0 }, [{ what: 'hang', rank: 2, step: 1 }]);
    expect(report.error?.code).toBe('timeout');
    expect(report.error?.message).toMatch(/server waits in recv of .* for worker 2/);
  });

  test('DataParallel is one process: it is killed or stands still as a whole', async () => {
    const config = { ...dataParallel, placement };
    const whole = await run(config);
    expect(whole.report.parametersSha256).toBeDefined();
    const killed = await run(config, [{ what: 'kill', rank: 0, step: 2 }]);
    expect(killed.report.parametersSha256).toEqual(whole.report.parametersSha256);
    expect(killed.said).toMatch(/Rank 0 \(cuda:0, cuda:1, cuda:2\) was killed at step 2/);
    const hung = await run(config, [{ what: 'hang', rank: 0, step: 2 }]);
    expect(hung.report.parametersSha256).toEqual(whole.report.parametersSha256);
    expect(hung.said).toMatch(/The process stopped responding and was killed after 0.3 s \(PyTorch would not kill it/);
    await expect(run(config, [{ what: 'kill', rank: 1, step: 2 }])).rejects.toThrow(
      'There is no rank 1: this run is one process, rank 0, which drives cuda:0 to cuda:2 and fails as a whole.',
    );
  });
});

test('a parameter server has as many processes as devices', async () => {
  await expect(run(synchronous, [{ what: 'kill', rank: 3, step: 1 }])).rejects.toThrow(
    'There is no rank 3: ranks are 0 to 2.',
  );
});
