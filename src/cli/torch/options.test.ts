/** Options of `lockstep train --engine torch`: accepted options, and refused options with their reasons. */
import { describe, expect, test } from 'vitest';
import type { TrainOptions } from '../train-usage';
import { parseCommand } from '../usage';
import { planLine, planOnThisMachine, torchPlan, torchrunOptions } from './launch-plan';
import { checkVersion, isOlder, pythonWithTorch } from './python';

function train(...words: string[]): TrainOptions {
  const command = parseCommand(['train', '--mode', 'ddp', ...words]);
  if (command.name !== 'train') throw new Error(command.name);
  return command.options;
}
const asked = { worldSize: 4, maxRestarts: 0 };
function planOf(...words: string[]) {
  const options = train('--engine', 'torch', ...words);
  if (!options.torch) throw new Error('not torch');
  return torchPlan({ ...options, torch: options.torch }, asked);
}

describe('options', () => {
  test('are torchrun’s, with dashes or underscores', () => {
    expect(train('--engine', 'torch', '--nproc-per-node=2', '--device', 'cuda', '--backend', 'nccl').torch).toEqual({
      device: 'cuda',
      backend: 'nccl',
      launcher: ['--nproc_per_node', '2'],
    });
    expect(train('--engine', 'lockstep').torch).toBeUndefined();
  });

  test.each([
    [['--engine', 'jax'], '--engine must be lockstep or torch'],
    [['--nnodes', '2'], '--nnodes is for --engine torch'],
    [['--engine', 'torch', '--device', 'webgpu'], 'PyTorch has no WebGPU'],
    [['--device', 'cuda'], '--device must be webgpu or cpu'],
    [['--engine', 'torch', '--browser'], '--browser is not available with --engine torch'],
    [['--engine', 'torch', '--clock', 'modelled'], '--clock is not available with --engine torch'],
    [['--engine', 'torch', '--flight-recorder', 'f'], 'TORCH_FR_BUFFER_SIZE'],
  ])('%j is refused', (words, message) => expect(() => train(...words)).toThrow(message));
});

describe('the plan', () => {
  test('is absent if no option asks for it; the configuration then gives the number of ranks', () => {
    expect(planOf()).toBeUndefined();
    const plan = planOnThisMachine(4, 2);
    expect(planLine(plan, 2)).toBe('torchrun: 4 processes, at most 2 restarts');
    expect(torchrunOptions(plan, 2)).toEqual(
      expect.arrayContaining(['--nnodes=1', '--nproc_per_node=4', '--max_restarts=2', '--rdzv_endpoint=localhost:0']),
    );
  });

  test('of two machines shares the ranks of the configuration', () => {
    const plan = planOf('--nnodes', '2', '--rdzv_endpoint', 'gpu01:29411', '--rdzv_id', 'job7');
    expect(plan).toMatchObject({ worldSize: 4, rendezvous: { id: 'job7', backend: 'c10d', endpoint: 'gpu01:29411' } });
    if (!plan) throw new Error('no plan');
    expect(torchrunOptions(plan, 0)).toEqual(
      expect.arrayContaining(['--nnodes=2', '--nproc_per_node=2', '--rdzv_endpoint=gpu01:29411', '--rdzv_id=job7']),
    );
    expect(planLine(plan, 0)).toBe(
      'torchrun: 2 of 4 processes, on one of 2 nodes, no restart; rendezvous c10d job7 at gpu01:29411',
    );
  });

  test('with numbered machines uses torchrun’s static rendezvous', () => {
    const plan = planOf('--nnodes=2', '--node-rank=1', '--rdzv_endpoint=gpu01:29411');
    expect(plan).toMatchObject({ nodeRank: 1, rendezvous: { backend: 'static' } });
  });

  test.each([
    [['--nnodes', '2'], '--nnodes needs --rdzv_endpoint'],
    [['--nnodes', '3', '--rdzv_endpoint', 'a:1'], '4 ranks are not spread evenly over 3 machines'],
    [['--nproc_per_node', 'two'], 'must be a whole number'],
    [['--nproc_per_node', 'gpu'], '--nproc_per_node must be a number, unless'],
  ])('%j is refused', (words, message) => expect(() => planOf(...words)).toThrow(message));

  test('of srun over several machines is a job’s, not this command’s', () => {
    const command = parseCommand([
      'srun',
      '-N',
      '2',
      '--ntasks-per-node=2',
      '--',
      '--mode',
      'ddp',
      '--engine',
      'torch',
    ]);
    if (command.name !== 'train' || !command.options.torch) throw new Error('not torch');
    const { options } = command;
    const { torch } = command.options;
    expect(() => torchPlan({ ...options, torch }, asked)).toThrow('srun would start processes on 2 machines');
  });
});

describe('PyTorch', () => {
  test.each([
    ['1.13.0a0+git7c98e70', '1.13', false],
    ['1.13.0', '2.6', true],
    ['2.13.0+cpu', '2.6', false],
    ['2.6.0', '2.6.1', true],
  ])('%s is older than %s: %s', (version, needed, older) => expect(isOlder(version, needed)).toBe(older));

  test('that is too old is refused, with the version that the run needs', () => {
    const python = { command: 'python3', path: '/usr/bin/python3', torch: '1.13.0a0', python: '3.11.2' };
    expect(() => checkVersion(python, { torch: '2.6', why: 'mode pipeline' })).toThrow(
      'mode pipeline needs torch 2.6 or newer; this machine has 1.13.0a0 at /usr/bin/python3.',
    );
    expect(() => checkVersion(python, { torch: '1.13', why: 'mode ddp' })).not.toThrow();
  });

  test('that is missing gives an error that says how to get it', () => {
    try {
      pythonWithTorch(['/no/python']);
    } catch (error) {
      expect(error).toMatchObject({ code: 'no-torch', hint: expect.stringContaining('LOCKSTEP_PYTHON') });
      expect(String(error)).toContain('/no/python: no such program');
      return;
    }
    throw new Error('found one');
  });
});
