import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Report } from '../protocol/report';
import { temporaryFolder } from './testing/temporary-folder';
import { train } from './train';
import type { TrainOptions } from './train-usage';

const NET = { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] };

describe('lockstep train', () => {
  const file = temporaryFolder();

  const readJson = async (name: string): Promise<unknown> => JSON.parse(await readFile(file(name), 'utf8'));
  async function run(
    config: object,
    options: Partial<TrainOptions> = {},
    signal = new AbortController().signal,
  ): Promise<number> {
    await writeFile(file('run.json'), JSON.stringify({ model: NET, device: 'cpu', ...config }));
    const defaults: TrainOptions = {
      preset: undefined,
      config: file('run.json'),
      device: undefined,
      browser: false,
      out: file('report.json'),
      trace: undefined,
      clock: 'measured',
      save: undefined,
      dataset: undefined,
      checkpoint: undefined,
      checkpointEvery: undefined,
      resume: undefined,
      faults: [],
      maxRestarts: undefined,
      flightRecorder: undefined,
      quiet: true,
    };
    return train({ ...defaults, ...options }, signal);
  }

  it('writes the report, a trace and weights that start the next run', async () => {
    const config = { data: { type: 'xor', samples: 32 }, batchSize: 8, steps: 6, mode: 'ddp', worldSize: 2 };
    expect(await run(config, { trace: file('trace.json'), save: file('end.safetensors') })).toBe(0);
    const report = (await readJson('report.json')) as Report;
    expect(report.losses.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(report.losses[0]?.perRank).toHaveLength(2);
    expect(report.replicaDivergence).toBe(0);
    expect(report.weightsSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(await readJson('trace.json')).toMatchObject({ traceEvents: expect.any(Array) });

    expect(await run({ ...config, steps: 1, weights: 'end.safetensors' }, { out: file('next.json') })).toBe(0);
    const next = (await readJson('next.json')) as Report;
    expect(next.losses[0]?.loss).not.toBe(report.losses[0]?.loss);
  });

  it('writes the rows for the PyTorch script', async () => {
    const config = {
      data: { type: 'shapes', samples: 24, size: 8, testFraction: 0.25 },
      loss: { type: 'CrossEntropyLoss' },
      model: { layers: [{ type: 'Flatten' }, { type: 'Linear', in: 64, out: 6 }] },
      batchSize: 6,
      steps: 1,
    };
    expect(await run(config, { dataset: file('rows.safetensors') })).toBe(0);
    const header = (await readFile(file('rows.safetensors'))).toString('latin1');
    expect(header).toContain('"x":{"dtype":"F32","shape":[18,1,8,8]');
    expect(header).toContain('"y":{"dtype":"I64","shape":[18]');
    await expect(run(config, { dataset: file('report.json') })).rejects.toThrow('--out and --dataset name the same');
  });

  it('gives the same weights every time', async () => {
    const config = { data: { type: 'spiral', samples: 40 }, batchSize: 8, steps: 4 };
    await run(config);
    const first = (await readJson('report.json')) as Report;
    await run(config);
    expect(((await readJson('report.json')) as Report).weightsSha256).toBe(first.weightsSha256);
  });

  it('reads a CSV that lies beside the configuration', async () => {
    const rows = Array.from({ length: 16 }, (_, i) => `${Math.sin(i)},${Math.cos(i)},${i % 2}`);
    await writeFile(file('rows.csv'), ['a,b,class', ...rows].join('\n'));
    expect(await run({ data: { type: 'csv', file: 'rows.csv' }, batchSize: 8, steps: 2 })).toBe(0);
  });

  it('reports a loss that is not finite, and the steps before it', async () => {
    const config = {
      data: { type: 'plane' },
      loss: { type: 'MSELoss' },
      optimizer: { type: 'SGD', lr: 100 },
      steps: 5000,
    };
    const model = { layers: [{ type: 'Linear', in: 2, out: 1 }] };
    expect(await run({ ...config, model })).toBe(4);
    const report = (await readJson('report.json')) as Report;
    expect(report.error?.code).toBe('not-finite');
    expect(report.error?.message).toMatch(/^The loss is \S+ at step \d+\. The numbers stop being finite at step \d+: /);
    expect(report.error?.message).toContain('cuda:0');
    expect(report.losses.length).toBeLessThan(5000);
  });

  it('stops on request and reports the finished steps', async () => {
    // Simulates Ctrl+C, which arrives through the event loop: here as soon as the run has begun, whose steps rarely
    // yield to the event loop.
    let state: 'opening' | 'running' | 'stopped' = 'opening';
    const signal = {
      get aborted() {
        if (state === 'opening') setTimeout(() => (state = 'stopped'));
        if (state === 'opening') state = 'running';
        return state === 'stopped';
      },
    } as AbortSignal;
    expect(await run({ data: { type: 'xor' }, steps: 10_000_000 }, {}, signal)).toBe(4);
    const report = (await readJson('report.json')) as Report;
    expect(report.error?.code).toBe('aborted');
    expect(report.steps).toBeGreaterThan(0);
  });

  it('checks its output files before it trains', async () => {
    const endless = { data: { type: 'xor' }, steps: 10_000_000 };
    await expect(run(endless, { out: file() })).rejects.toThrow(`cannot write ${file()}: it is a folder`);
    await expect(run(endless, { save: file('none/w.safetensors') })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('no such file or folder'),
    });
    await expect(run(endless, { trace: file('report.json') })).rejects.toThrow('--out and --trace name the same file');
    await expect(run(endless, { save: file('run.json') })).rejects.toThrow('--config and --save name the same file');
  });

  it('refuses impossible combinations of options', async () => {
    await expect(run({ worldSize: 99 })).rejects.toMatchObject({ code: 'config' });
    await expect(run({ mode: 'modelParallel', worldSize: 8 })).rejects.toMatchObject({ code: 'placement' });
    await expect(run({ memoryBudgetMb: 0.001 })).rejects.toMatchObject({ code: 'memory' });
  });
});
