/** `lockstep torchrun` and `lockstep srun`: the settings of the line, and the launch in the report. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Report } from '../protocol/report';
import { launchedConfig, launchedOptions, launchLines, readLaunch } from './torchrun';
import { train } from './train';
import { parseCommand } from './usage';

const LINE =
  '--nnodes 2 --nproc_per_node=2 --rdzv_id 7 --rdzv_backend c10d --rdzv_endpoint gpu01 --max-restarts 1 --config';

describe('lockstep torchrun', () => {
  it('prints nodes, ranks and the variables of each rank', () => {
    const plan = readLaunch('torchrun', [...LINE.split(' '), 'run.json'], '1,3');
    expect(launchLines(plan)).toEqual([
      'torchrun: 4 processes on 2 nodes, at most 1 restart; rendezvous c10d 7 at gpu01:29400',
      '  gpu01',
      expect.stringMatching(
        /^ {4}RANK=0 LOCAL_RANK=0 GROUP_RANK=0 WORLD_SIZE=4 LOCAL_WORLD_SIZE=2 MASTER_ADDR=gpu01 .*CUDA_VISIBLE_DEVICES=1,3$/,
      ),
      expect.stringContaining('RANK=1 LOCAL_RANK=1 GROUP_RANK=0'),
      '  node1',
      expect.stringContaining('RANK=2 LOCAL_RANK=0 GROUP_RANK=1'),
      expect.stringContaining('RANK=3 LOCAL_RANK=1 GROUP_RANK=1'),
    ]);
    expect(launchedOptions(plan)).toEqual(['--config', 'run.json']);
    expect(launchedConfig(plan, { steps: 2, worldSize: 8 })).toEqual({
      config: { steps: 2, mode: 'ddp', worldSize: 4, nodes: 2, maxRestarts: 1, visibleDevices: [1, 3] },
      replaced: ["worldSize is 4, as torchrun says; the configuration's 8 is ignored."],
    });
  });

  it('takes a SLURM line, and lockstep train behind a launcher', () => {
    const plan = readLaunch('srun', ['-N', '2', '--ntasks-per-node=3', '--', '--config', 'a b.json'], undefined);
    expect(plan).toMatchObject({ launcher: 'slurm', worldSize: 6 });
    expect(launchedOptions(plan)).toEqual(['--config', 'a b.json']);
    const inner = readLaunch('srun', ['-n', '2', 'lockstep', 'train', '--preset', 'mlp'], undefined);
    expect(launchedOptions(inner)).toEqual(['--preset', 'mlp']);
  });

  it('refuses scripts, and modes of one process', () => {
    const plan = readLaunch('torchrun', ['--nproc_per_node', '2', 'train.py'], undefined);
    expect(() => launchedOptions(plan)).toThrow('lockstep torchrun starts a configuration, not train.py.');
    expect(() => launchedConfig(plan, { mode: 'modelParallel' })).toThrow(
      'torchrun starts 2 processes, but mode modelParallel runs in one',
    );
    expect(() => parseCommand(['torchrun', '--nproc_per_node', '2'])).toThrow(
      'torchrun needs --config FILE, --preset NAME, or settings',
    );
    expect(() => parseCommand(['torchrun', '--nproc_per_node', '99', '--config', 'a'])).not.toThrow();
    expect(parseCommand(['torchrun', '--help'])).toEqual({ name: 'help', of: 'torchrun' });
  });

  it('trains one rank per process, and the report says how they were launched', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-torchrun-'));
    const [config, out] = [path.join(folder, 'run.json'), path.join(folder, 'report.json')];
    try {
      const model = { layers: [{ type: 'Linear', in: 2, out: 1 }] };
      await writeFile(
        config,
        JSON.stringify({
          model,
          data: { type: 'xor', samples: 16 },
          batchSize: 8,
          steps: 2,
          ddp: { algorithm: 'tree' },
        }),
      );
      const command = parseCommand(
        ['torchrun', ...LINE.split(' '), config, '--device', 'cpu', '--out', out, '--quiet'],
        undefined,
      );
      if (command.name !== 'train') throw new Error(command.name);
      expect(await train(command.options, new AbortController().signal)).toBe(0);
      const report = JSON.parse(await readFile(out, 'utf8')) as Report;
      expect(report.losses[1]?.perRank).toHaveLength(4);
      expect(report.launch).toMatchObject({ launcher: 'torchrun', worldSize: 4, rendezvous: { id: '7' } });
      expect(report.processGroup).toEqual({
        backend: 'nccl',
        worldSize: 4,
        nodes: [
          [0, 1],
          [2, 3],
        ],
        algorithm: 'tree',
        timeoutS: 60,
        maxRestarts: 1,
        restarts: 0,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
