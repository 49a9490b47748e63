/**
 * The text of `lockstep --help`: the commands, and each command's options from its parser's table; and the help of a
 * single command.
 */
import { lookup } from '../base/lookup';
import { BENCH_OPTIONS } from './bench-usage';
import { CODE_OPTIONS, EXPORT_OPTIONS } from './code-usage';
import { COLLECTIVES_OPTIONS } from './collectives-usage';
import { COMPARE_OPTIONS } from './compare-usage';
import { EXIT_MEANING } from './exit-code';
import { IMPORT_OPTIONS } from './import-usage';
import { HELP, type OptionRow, optionLines } from './option-values';
import { SCHEDULE_OPTIONS } from './schedule-usage';
import { SERVE_OPTIONS } from './serve-usage';
import { SOURCE_OPTIONS } from './source-usage';
import { TRAIN_OPTIONS } from './train-usage';

/** One line per use of a command; continuation lines are indented. */
const USAGE: readonly string[] = [
  '  lockstep train --config run.json [options]   train and write a report',
  '  lockstep torchrun --nnodes 2 --nproc_per_node 4 [--max-restarts 3 ...] --config run.json [options of train]',
  '                                               train with the ranks that torchrun would start, one per process (without --mode: DDP)',
  '  lockstep train --engine torch --config run.json    train the same run in the PyTorch of this machine',
  '  lockstep srun -N 2 --ntasks-per-node=4 -- --config run.json    train with the ranks that this SLURM line would start',
  '  lockstep collectives --op all_reduce --algo ring --ranks 8 --bytes 64KiB..16MiB',
  '                                               time a collective over a range of sizes, as nccl-tests does',
  '  lockstep bench [--device cpu] [--against OLD.json]',
  '                                               time training steps of the ready-made runs on this machine',
  '  lockstep schedule --name ZBVZeroBubble --ranks 4 --microbatches 8',
  '                                               print a pipeline schedule: the work of each rank over time, the bubble, the most activations kept',
  '  lockstep memory --config run.json            print the memory that each device will allocate, tensor by tensor',
  '  lockstep code --config run.json              print the PyTorch script of the run, which prints the same losses',
  '  lockstep code --framework tensorflow --config run.json    print a TensorFlow script of the run, to compare by eye',
  '  lockstep export --config run.json --out DIR  write a folder with train.py and every file that PyTorch needs to train the run',
  '  lockstep serve [--port 5173]                 serve the playground to a browser on this machine',
  '  lockstep compare A.json B.json               compare two reports: are they of the same run, and where do they differ?',
  '  lockstep import FILE...                      show which rank of a recorded run waited for which, and why',
  '  lockstep schema [--report|--bench]           print the JSON Schema of the configuration, of a report, or of a bench report',
];

/** The option tables of the commands. */
const OPTIONS: Readonly<Record<string, readonly OptionRow[]>> = {
  train: TRAIN_OPTIONS,
  torchrun: TRAIN_OPTIONS,
  srun: TRAIN_OPTIONS,
  bench: BENCH_OPTIONS,
  collectives: COLLECTIVES_OPTIONS,
  schedule: SCHEDULE_OPTIONS,
  memory: [...SOURCE_OPTIONS, HELP],
  code: CODE_OPTIONS,
  export: EXPORT_OPTIONS,
  serve: SERVE_OPTIONS,
  compare: COMPARE_OPTIONS,
  import: IMPORT_OPTIONS,
};

const STATUS: readonly string[] = ['Exit status', ...EXIT_MEANING.map(([code, text]) => `  ${code}  ${text}`)];

/** The text of `lockstep COMMAND --help`: the command's uses, and its options. */
export function helpOfCommand(command: string): string {
  const isOf = new RegExp(`^  lockstep ${command}( |$)`);
  let own = false;
  const usage = USAGE.filter((line) => {
    if (line.startsWith('  lockstep ')) own = isOf.test(line);
    return own;
  });
  const rows = lookup(OPTIONS, command);
  const options = rows ? ['', 'Options (defaults in brackets)', ...optionLines(rows)] : [];
  return ['Usage', ...usage, ...options, '', ...STATUS, '', 'lockstep --help prints all commands.', ''].join('\n');
}

export function helpText(): string {
  return [
    'Lockstep trains a network on several devices, as PyTorch would, and reports what happened.',
    '',
    'Usage',
    ...USAGE,
    '  lockstep COMMAND --help                      print the help of one command',
    '  lockstep --help                              print this text',
    '',
    'Options of train',
    ...optionLines(TRAIN_OPTIONS),
    '',
    'The options from --preset to --seed choose the run. memory takes only these options. code takes these and --out,',
    '--dataset and --framework pytorch|tensorflow (tensorflow: the tf.distribute strategy that matches the mode).',
    'export takes these and --out DIR.',
    '',
    'Options of collectives (defaults in brackets)',
    ...optionLines(COLLECTIVES_OPTIONS),
    '',
    'Options of schedule (defaults in brackets)',
    ...optionLines(SCHEDULE_OPTIONS),
    '',
    'Options of compare',
    ...optionLines(COMPARE_OPTIONS),
    '',
    'Options of import',
    ...optionLines(IMPORT_OPTIONS),
    '',
    'Paths in the configuration (csv, npy, safetensors) are relative to the configuration file.',
    'Progress (one line per step, or per micro-batch with accumulate) and notices go to standard error and into the report.',
    '',
    ...STATUS,
    '',
    'Example',
    `  echo '{"mode": "ddp", "worldSize": 4, "steps": 20}' | lockstep train --config - --device cpu --out report.json`,
    '',
  ].join('\n');
}
