/** What `lockstep --help` prints: the commands, and the options of each from the table that its parser reads. */
import { COLLECTIVES_OPTIONS } from './collectives-usage';
import { COMPARE_OPTIONS } from './compare-usage';
import { EXIT_MEANING } from './exit-code';
import { IMPORT_OPTIONS } from './import-usage';
import { optionLines } from './option-values';
import { SCHEDULE_OPTIONS } from './schedule-usage';
import { TRAIN_OPTIONS } from './train-usage';

export function helpText(): string {
  return [
    'Lockstep trains a network on several devices, as PyTorch would, and reports what happened.',
    '',
    'Usage',
    '  lockstep train --config run.json [options]   train and write a report',
    '  lockstep torchrun --nnodes 2 --nproc_per_node 4 [--max-restarts 3 ...] --config run.json [options of train]',
    '                                               train with one rank per process, as torchrun starts them (DDP)',
    '  lockstep train --engine torch --config run.json    the same run, by the PyTorch of this machine',
    '  lockstep srun -N 2 --ntasks-per-node=4 -- --config run.json    the same from a SLURM line',
    '  lockstep collectives --op all_reduce --algo ring --ranks 8 --bytes 64KiB..16MiB',
    '                                               time a collective over sizes, as nccl-tests does',
    '  lockstep schedule --name ZBVZeroBubble --ranks 4 --microbatches 8',
    '                                               print who computes what when in a pipeline, its bubble and peaks',
    '  lockstep memory --config run.json            print what each device will allocate, tensor by tensor',
    '  lockstep code --config run.json              print the PyTorch script of the run, which prints the same losses',
    '  lockstep code --framework tensorflow --config run.json    the TensorFlow script beside it, for reading',
    '  lockstep export --config run.json --out DIR  write the run as a folder that PyTorch trains from: train.py and all it needs',
    '  lockstep serve [--port 5173]                 serve the playground to a browser on this machine',
    '  lockstep compare A.json B.json               hold two reports against each other: the same run, or where they part',
    '  lockstep import FILE...                      show what happened in a recorded run: who waited for whom, and why',
    '  lockstep schema [--report]                   print the JSON Schema of the configuration, or of a report',
    '  lockstep --help                              this text',
    '',
    'Options of train',
    ...optionLines(TRAIN_OPTIONS),
    '',
    'memory takes those of them that say which run: --preset to --seed. code takes these and --out, --dataset,',
    '--framework pytorch|tensorflow (the same run under the strategy of tf.distribute that its mode has);',
    'export takes these and --out DIR.',
    '',
    'Options of collectives (in brackets: when absent)',
    ...optionLines(COLLECTIVES_OPTIONS),
    '',
    'Options of schedule (in brackets: when absent)',
    ...optionLines(SCHEDULE_OPTIONS),
    '',
    'Options of compare',
    ...optionLines(COMPARE_OPTIONS),
    '',
    'Options of import',
    ...optionLines(IMPORT_OPTIONS),
    '',
    'Files named in the configuration (csv, npy, safetensors) are found relative to the configuration file.',
    'Progress and notices go to standard error, one line per step (per micro-batch with accumulate); the report holds all.',
    '',
    'Exit status',
    ...EXIT_MEANING.map(([code, text]) => `  ${code}  ${text}`),
    '',
    'Example',
    `  echo '{"mode": "ddp", "worldSize": 4, "steps": 20}' | lockstep train --config - --device cpu --out report.json`,
    '',
  ].join('\n');
}
