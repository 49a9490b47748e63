/**
 * Command lines: commands, options and values in any order, some of them misspelt; and lines that start torchrun or
 * srun.
 */
import fc from 'fast-check';
import { oddName } from './odd';

const COMMANDS = [
  'train',
  'torchrun',
  'srun',
  'collectives',
  'memory',
  'schema',
  'code',
  'serve',
  'schedule',
  'help',
  '--help',
  '-h',
  'run',
];
const OPTIONS = [
  '--preset',
  '--config',
  '--device',
  '--browser',
  '--out',
  '--trace',
  '--clock',
  '--save',
  '--dataset',
  '--checkpoint',
  '--checkpoint-every',
  '--resume',
  '--kill',
  '--hang',
  '--max-restarts',
  '--flight-recorder',
  '--quiet',
  '--help',
  '--set',
  '--steps',
  '--mode',
  '--world-size',
  '--seed',
  '--op',
  '--algo',
  '--ranks',
  '--nodes',
  '--bytes',
  '--step-factor',
  '--redop',
  '--root',
  '--iters',
  '--warmup',
  '--transport',
  '--hardware',
  '--json',
  '--name',
  '--microbatches',
  '--stages-per-rank',
  '--file',
  '--csv',
  '--comms',
  '--nnodes',
  '--nproc_per_node',
  '--nproc-per-node',
  '--node_rank',
  '--rdzv_backend',
  '--standalone',
  '-N',
  '-n',
  '--ntasks-per-node',
  '--gpus-per-task',
  '--',
];
const VALUES = [
  'mlp',
  'cnn',
  'run.json',
  '-',
  'cpu',
  'webgpu',
  '2@10',
  '1@3,2@4',
  '4',
  '1:4',
  'gpu',
  'ring',
  'all_reduce',
  '64KiB..16MiB',
  '1e3',
  'steps=5',
  'ddp.bucketCapMb=1',
  'mode=ddp',
  'optimizer.constructor=1',
  '__proto__.steps=1',
  'train.py',
  'a=b=c',
  'ZBVZeroBubble',
  'zbv',
  '',
];

const option = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...OPTIONS) }, { weight: 1, arbitrary: oddName });
const value = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...VALUES) },
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 200 }).map(String) },
  { weight: 1, arbitrary: oddName },
);
const words = fc.oneof(
  fc.tuple(option, value).map(([name, text]) => [name, text]),
  fc.tuple(option, value).map(([name, text]) => [`${name}=${text}`]),
  option.map((name) => [name]),
  value.map((text) => [text]),
);

export const anyCommand = fc
  .tuple(fc.constantFrom(...COMMANDS, ...COMMANDS.slice(0, 5)), fc.array(words, { maxLength: 6 }))
  .map(([name, rest]) => [name, ...rest.flat()]);

const LINES = [
  'torchrun --nnodes=2 --nproc_per_node=4 train.py --lr 0.1',
  'CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc-per-node=gpu train.py',
  'srun -N 2 --ntasks-per-node=4 --gpus-per-task=1 python train.py',
  '#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\nsrun python train.py',
  'export MASTER_ADDR=$(hostname)\nmpirun -np 4 python train.py',
  'mp.spawn(main, args=(4,), nprocs=4)',
];
/** Lines that a user may paste into the launch panel. */
export const anyLaunchLine = fc
  .tuple(
    fc.constantFrom(...LINES),
    fc.array(
      fc.tuple(fc.nat(120), fc.oneof(value, option, fc.constantFrom(' ', '"', "'", '\\', '$', '(', ')', '\n', '='))),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([line, all]) =>
    all.reduce<string>((now, [at, text]) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + text + now.slice(place);
    }, line),
  );

/** The text of a configuration file. */
export const anyConfigText = fc
  .tuple(
    fc.constantFrom(
      '{"mode": "ddp", "steps": 3}',
      '{"data": {"type": "csv", "file": "a.csv"}}',
      '{"steps": 1, "steps": 2}',
      '',
    ),
    fc.array(
      fc.tuple(
        fc.nat(60),
        fc.oneof(value, fc.constantFrom('{', '}', '[', ']', '"', ',', ':', '\ufeff', 'null', '"a":'.repeat(20))),
      ),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([text, all]) =>
    all.reduce<string>((now, [at, mark]) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + mark + now.slice(place);
    }, text),
  );
