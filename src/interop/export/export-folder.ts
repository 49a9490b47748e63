/**
 * The folder of an exported run: text files and tensors by name. train-file.ts writes train.py. Called by
 * headless/export-run.ts.
 */
import type { Config } from '../../protocol/config';
import { DATASET_FILE, type ExportedFolder } from '../../protocol/exported';
import { hasBatchNorm } from '../pytorch/model';
import { type ExportLaunch, kubeflowJob, runScript, slurmJob } from './cluster-files';
import { defaultsOf } from './defaults-of';
import { needsOf } from './needs';
import { PYTHON_FILES } from './python-files';
import { readme } from './readme';

export interface ExportInput {
  readonly config: Config;
  readonly trainPy: string;
  readonly initial: Uint8Array<ArrayBuffer>;
  readonly dataset: () => Uint8Array<ArrayBuffer>;
  /** The files that the configuration names, under names without folders. */
  readonly given: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
}

export function exportFolder({ config, trainPy, initial, dataset, given }: ExportInput): ExportedFolder {
  const launch = launchOf(config, trainPy);
  const needs = needsOf(trainPy);
  const otherwise = differences(config, launch, trainPy);
  const hasRows = trainPy.includes(`'${DATASET_FILE}'`);
  const [, about = ''] = /^"""Trains the net below (.*)\.$/m.exec(trainPy) ?? [];
  return {
    files: {
      'README.md': readme({
        about,
        launch,
        needs,
        plain: trainPy.includes('plain=True'),
        hasRows,
        files: Object.keys(given),
        differences: otherwise,
        notSaved: notSaved(config, trainPy),
      }),
      'train.py': trainPy,
      ...PYTHON_FILES,
      'requirements.txt': `torch>=${needs.torch}\n${/import numpy|PowerSGDState\(|distributed\.pipelining/.test(trainPy) ? 'numpy\n' : ''}`,
      'config.json': `${JSON.stringify(config, null, 2)}\n`,
      'defaults.json': `${JSON.stringify(defaultsOf(config), null, 2)}\n`,
      'initial.safetensors': initial,
      ...(hasRows ? { [DATASET_FILE]: dataset() } : {}),
      ...given,
      'run.sh': runScript(launch),
      'job.sbatch': slurmJob(launch),
      'pytorchjob.yaml': kubeflowJob(launch),
    },
    processes: launch.processes,
    needs,
    differences: otherwise,
  };
}

/** How to start train.py, from its call of set_up(). */
function launchOf({ nodes }: Config, trainPy: string): ExportLaunch {
  const number = (name: string): number =>
    Number(new RegExp(`set_up\\(args.*\\b${name}=(\\d+)`).exec(trainPy)?.[1] ?? 1);
  const processes = number('ranks');
  return { processes, devices: number('devices'), nodes: sharing(processes, nodes) };
}

/** At most the run's number of nodes, with equally many ranks on each, as torchrun requires. */
function sharing(processes: number, nodes: number): number {
  let count = Math.min(processes, nodes);
  while (processes % count > 0) count -= 1;
  return count;
}

/** What a checkpoint of train.py lacks, so that a resumed run differs from an uninterrupted one. */
function notSaved({ ddp: { commHook } }: Config, trainPy: string): readonly string[] {
  return [
    ...(commHook.type === 'powerSGD'
      ? [
          `PowerSGD's errors and factors: after \`--resume\` the first ${commHook.startPowerSGDIter} steps are uncompressed again (start_powerSGD_iter), and then compression starts again`,
        ]
      : []),
    ...(commHook.type === 'localSGD'
      ? [
          'how far local SGD has come: after `--resume` the ranks begin again with startLocalSGDIter steps of all-reduced gradients. A checkpoint that train.py writes has the parameters of rank 0 only',
        ]
      : []),
    ...(trainPy.includes('uneven=True')
      ? [
          'steps during training: ranks with different numbers of batches write only at the end, whatever `--checkpoint-every` says',
        ]
      : []),
  ];
}

/** Differences in torch, on the CPU or everywhere. */
function differences({ model, ddp, optimizer }: Config, { devices }: ExportLaunch, trainPy: string): readonly string[] {
  const batchNorm = hasBatchNorm(model.layers);
  return [
    ...(trainPy.includes('nn.DataParallel(')
      ? [
          `On the CPU nn.DataParallel does not split a batch${batchNorm ? ': BatchNorm sees all its rows, and the losses differ from those on GPUs' : ''}.`,
        ]
      : []),
    ...(optimizer.type === 'NAdam'
      ? [
          'NAdam: torch 2 corrected its product of momenta, and Lockstep follows torch 2: with torch 1.13 losses differ by some 1e-4.',
        ]
      : []),
    ...(batchNorm && trainPy.includes('PipelineStage(')
      ? [
          'A stage of a pipeline runs once before the first step, to learn shapes: BatchNorm updates its running statistics once more.',
        ]
      : []),
    ...(batchNorm && trainPy.includes('checkpoint_sequential(')
      ? ['Checkpointing runs the forward pass again: BatchNorm updates its running statistics twice per step.']
      : []),
    ...(ddp.join
      ? [
          'model.join() ends with a broadcast of the parameters of the last rank. If the steps end within an epoch, ranks that ran out of batches earlier have another momentum, and these parameters differ from those of rank 0.',
        ]
      : []),
    ...(ddp.syncBatchNorm && trainPy.includes('SyncBatchNorm')
      ? ['SyncBatchNorm needs GPUs: on the CPU torch refuses it.']
      : []),
    ...(trainPy.includes('# dropout:') || /nn\.Dropout|dropout=/.test(trainPy)
      ? [
          'Dropout: on the CPU torch draws the same masks as the run; on GPUs it draws others, and the losses differ from the first step on.',
        ]
      : []),
    ...(devices > 1
      ? ['On the CPU all devices are the CPU: the numbers are the same, but nothing runs in parallel.']
      : []),
  ];
}
