/** Launch lines as people write them: nodes, ranks and variables, and errors that say what to write instead. */
import { describe, expect, test } from 'vitest';
import { LockstepError } from '../base/errors';
import { at } from '../base/invariant';
import { parseConfig } from '../config/parse-config';
import { launchSettings } from './launch-settings';
import { parseLaunchLine } from './parse-launch-line';

const refused = (line: string): LockstepError => {
  try {
    parseLaunchLine(line);
  } catch (error) {
    if (error instanceof LockstepError) return error;
  }
  throw new Error(`${line} was taken`);
};
const sizes = (line: string) => parseLaunchLine(line).nodes.map(({ ranks }) => ranks.length);

describe('torchrun', () => {
  test('numbers the ranks node by node and sets what torchrun sets', () => {
    const plan = parseLaunchLine(
      'torchrun --nnodes 2 --nproc_per_node=3 --rdzv_id=7 --rdzv-backend c10d --rdzv-endpoint=gpu01:29401 --max-restarts 2 train.py --lr 0.1',
    );
    expect(plan).toMatchObject({
      launcher: 'torchrun',
      worldSize: 6,
      maxRestarts: 2,
      rendezvous: { id: '7', backend: 'c10d', endpoint: 'gpu01:29401' },
      script: ['train.py', '--lr', '0.1'],
    });
    const ranks = plan.nodes.flatMap((node) => node.ranks);
    expect(ranks.map((r) => [r.RANK, r.LOCAL_RANK, r.GROUP_RANK])).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [2, 2, 0],
      [3, 0, 1],
      [4, 1, 1],
      [5, 2, 1],
    ]);
    expect(at(ranks, 5)).toMatchObject({
      WORLD_SIZE: 6,
      LOCAL_WORLD_SIZE: 3,
      MASTER_ADDR: 'gpu01',
      // Not the 29401 of the rendezvous: a free port.
      MASTER_PORT: 40_001,
    });
    expect(plan.nodes.map((node) => node.host)).toEqual(['gpu01', 'node1']);
  });

  test('has its defaults: one node, one process, the static rendezvous', () => {
    const plan = parseLaunchLine('torchrun train.py');
    expect(plan).toMatchObject({
      worldSize: 1,
      maxRestarts: 0,
      rendezvous: { id: 'none', backend: 'static', endpoint: '127.0.0.1:29500' },
    });
    expect(plan.notes).toEqual([]);
  });

  test.each([
    ['python3 -m torch.distributed.run --nproc-per-node=2 train.py', [2]],
    ['python -m torch.distributed.launch --nproc_per_node 4 --use_env train.py', [4]],
    ['OMP_NUM_THREADS=1 torchrun --standalone --nproc_per_node=2 train.py', [2]],
    ['$ torchrun \\\n  --nnodes=2 \\\n  --nproc_per_node=2 \\\n  train.py', [2, 2]],
    ['lockstep torchrun --nnodes 2 --nproc_per_node 4 --config run.json', [4, 4]],
    ['torchrun --nproc_per_node=2 -m my.module --flag', [2]],
    ['CUDA_VISIBLE_DEVICES=2,3,5 torchrun --nproc_per_node=gpu train.py', [3]],
    ['torchrun --nproc_per_node=gpu train.py', [8]],
    ['torchrun --nnodes=1:4 --nproc_per_node=2 train.py', [2, 2, 2, 2]],
  ])('%s', (line, expected) => {
    expect(sizes(line)).toEqual(expected);
  });

  test('says which number it uses for an elastic range, and for gpu', () => {
    const { notes } = parseLaunchLine(
      'torchrun --nnodes=1:4 --nproc_per_node=gpu --rdzv_backend=c10d --rdzv_endpoint=a train.py',
    );
    expect(notes).toHaveLength(2);
    expect(notes[0]).toContain('1 to 4 nodes. Lockstep starts 4');
    expect(notes[1]).toContain('assumed to have 8');
  });

  test('a line for one of several nodes says which node it is; the plan has all nodes', () => {
    const plan = parseLaunchLine(
      'torchrun --nnodes=2 --node-rank=1 --nproc_per_node=2 --master_addr=10.0.0.1 --master_port=1234 t.py',
    );
    expect(plan).toMatchObject({ nodeRank: 1, worldSize: 4, rendezvous: { endpoint: '10.0.0.1:1234' } });
    expect(plan.notes).toEqual([]);
  });

  test('two nodes with a rendezvous at localhost never connect', () => {
    expect(parseLaunchLine('torchrun --nnodes=2 t.py').notes[0]).toMatch(/127\.0\.0\.1.*--master_addr/);
  });

  test.each([
    ['torchrun --nproc_per_node=2', 'the following arguments are required: training_script', 'train.py'],
    ['torchrun --nproc_per_nod=2 t.py', 'unrecognized argument --nproc_per_nod', '--nproc_per_node'],
    ['torchrun --nproc_per_node=two t.py', '--nproc_per_node must be a whole number', 'For example'],
    ['torchrun --nproc_per_node=0 t.py', 'at least 1', ''],
    ['torchrun --nnodes=4:2 t.py', 'MIN <= MAX', '1:4'],
    ['torchrun --nnodes=2 --node_rank=2 t.py', 'out of range: there are 2 nodes', '--node_rank must be from 0 to 1'],
    ['torchrun --nnodes=2 --standalone t.py', '--standalone starts one node', '--rdzv_endpoint'],
    ['torchrun --rdzv_backend=zookeeper t.py', 'no rendezvous backend "zookeeper"', 'c10d'],
    ['torchrun --nnodes=$N t.py', 'the value of $N is not known', 'number'],
    ['torchrun --rdzv_endpoint=a:b t.py', '--rdzv_endpoint must be a whole number', ''],
    ['CUDA_VISIBLE_DEVICES=1,1 torchrun t.py', 'names device 1 twice', 'once'],
    ['CUDA_VISIBLE_DEVICES= torchrun --nproc_per_node=gpu t.py', 'no device is visible', 'CUDA_VISIBLE_DEVICES'],
    ['python train.py', 'python starts one process', 'torchrun'],
    ['mpirun -n 4 python train.py', 'Lockstep does not know mpirun', 'torchrun'],
    ['ls -l', '"ls" starts no processes', 'torchrun'],
    ['  # nothing', 'no command', 'torchrun'],
  ])('%s is refused: %s', (line, message, hint) => {
    const error = refused(line);
    expect(error.code).toBe('config');
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});

describe('SLURM', () => {
  test('a task is a process; hosts come from the node list', () => {
    const plan = parseLaunchLine(
      'srun --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 -w gpu[08-09] python train.py --epochs 3',
    );
    expect(plan).toMatchObject({
      launcher: 'slurm',
      worldSize: 8,
      visibleDevices: [0, 1, 2, 3],
      script: ['python', 'train.py', '--epochs', '3'],
    });
    expect(plan.nodes.map((n) => n.host)).toEqual(['gpu08', 'gpu09']);
    expect(at(at(plan.nodes, 1).ranks, 2)).toMatchObject({
      RANK: 6,
      LOCAL_RANK: 2,
      MASTER_ADDR: 'gpu08',
      CUDA_VISIBLE_DEVICES: '0,1,2,3',
    });
  });

  test.each([
    ['srun -N2 -n 8 python t.py', [4, 4]],
    ['srun -N 2 -n 5 python t.py', [3, 2]],
    ['srun -n 4 python t.py', [4]],
    ['srun -n 8 --ntasks-per-node=4 python t.py', [4, 4]],
    ['srun -N 4 -n 2 python t.py', [1, 1]],
    ['srun -N 2-3 --ntasks-per-node 2 python t.py', [2, 2, 2]],
    ['sbatch -N 2 --ntasks-per-node=2 job.sh', [2, 2]],
    ["sbatch -N 2 --wrap 'torchrun --nnodes=2 --nproc_per_node=3 t.py'", [3, 3]],
    [
      'srun --nodes=2 --gpus-per-node=4 torchrun --nnodes=$SLURM_NNODES --nproc_per_node=gpu --node_rank=$SLURM_NODEID t.py',
      [4, 4],
    ],
  ])('%s', (line, expected) => {
    expect(sizes(line)).toEqual(expected);
  });

  test('a batch script: its #SBATCH lines, its variables, and the srun in it', () => {
    const plan = parseLaunchLine(`#!/bin/bash
#SBATCH --job-name=resnet   # a comment
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gres=gpu:4

module load cuda
export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=12340

srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 \\
  --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT \\
  train.py
`);
    expect(plan).toMatchObject({ launcher: 'slurm', worldSize: 8, script: ['train.py'], visibleDevices: [0, 1, 2, 3] });
    expect(plan.rendezvous).toMatchObject({ backend: 'c10d', endpoint: 'node0:12340' });
  });

  test('--gpus-per-task=1 is known to end in "invalid device ordinal"', () => {
    expect(parseLaunchLine('srun -n 2 --gpus-per-task=1 python t.py').notes[0]).toContain('invalid device ordinal');
  });

  test.each([
    ['srun -N 1 --ntasks-per-node=2 -n 4 python t.py', 'do not fit', '--nodes=2'],
    ['srun -N 2 torchrun --nnodes=3 t.py', '--nnodes=3', '$SLURM_NNODES'],
    ['srun -N 1 --ntasks-per-node=4 torchrun --nproc_per_node=4 t.py', '4 torchruns', '--ntasks-per-node=1'],
    ['srun --ntaskspernode=4 python t.py', 'unrecognized argument', '--ntasks_per_node'],
  ])('%s is refused: %s', (line, message, hint) => {
    const error = refused(line);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});

test('mp.spawn is the processes of one machine', () => {
  const plan = parseLaunchLine('mp.spawn(train, args=(4,), nprocs=4, join=True)');
  expect(plan).toMatchObject({ launcher: 'spawn', worldSize: 4, script: ['train'] });
  expect(refused('mp.spawn(train)').hint).toContain('nprocs=4');
});

describe('settings', () => {
  test('are the ranks that run the plan', () => {
    const plan = parseLaunchLine(
      'CUDA_VISIBLE_DEVICES=3,1 torchrun --nnodes=2 --nproc_per_node=2 --max_restarts=1 --master_addr=a t.py',
    );
    const settings = launchSettings(plan);
    expect(settings).toEqual({ worldSize: 4, nodes: 2, maxRestarts: 1, visibleDevices: [3, 1] });
    expect(parseConfig(settings)).toMatchObject(settings);
  });

  test.each([
    ['torchrun --nnodes=16 --nproc_per_node=8 t.py', 'at most 64'],
    ['srun -N 2 -n 5 python t.py', 'not spread evenly'],
  ])('%s is refused: %s', (line, message) => {
    expect(() => launchSettings(parseLaunchLine(line))).toThrow(message);
  });
});
