/** The head of train.py: its description, how to start it, and its imports. Called by train-file.ts. */
import type { Config } from '../../protocol/config';
import { dataCode } from '../pytorch/data';
import { importLines } from '../pytorch/imports';
import { launchLines } from '../pytorch/launch-command';
import { loopImports } from '../pytorch/loop';
import { schedulerCode } from '../pytorch/optim';
import type { Script } from '../pytorch/script-parts';

export function heading(config: Config, { about, notes = [], loop }: Script): readonly string[] {
  const start = launchLines(config, loop.ranks === true).map((line) => `    ${line.replace(/^# ?/, '')}`);
  return [
    `"""Trains the net below ${about}.`,
    '',
    ...(start.length > 0 ? start : ['    python train.py']),
    '',
    'README.md lists other ways to start it; python train.py --help lists its options.',
    '"""',
    '',
    ...notes,
  ];
}

const OWN = ['from checkpoint import Batches', 'from record import Run', 'from tensors import load_file'];

/** `text`: the code that uses the names. `usesFiles`: whether files of the folder are loaded. */
export function imports(config: Config, parts: Script, text: string, usesFiles: boolean): readonly string[] {
  const data = dataCode(config);
  const has = (name: string): string[] => (text.includes(`${name}(`) ? [name] : []);
  const names = [
    ...['DataLoader', 'TensorDataset', ...data.names, ...(parts.dataNames ?? [])],
    ...has('RandomSampler').filter(() => !text.includes('= SequentialSampler(')),
    ...has('SequentialSampler'),
  ];
  const launch = [
    'parse_arguments',
    'set_up',
    ...(usesFiles ? ['here'] : []),
    ...(text.includes('with precision:') ? ['autocast'] : []),
  ];
  const all = importLines([
    ...schedulerCode(config.scheduler).imports,
    ...parts.model.imports,
    ...(text.includes('nullcontext()') ? ['from contextlib import nullcontext'] : []),
    ...(config.paramGroups.length > 0 ? ['from fnmatch import fnmatchcase'] : []),
    ...data.imports.filter((line) => !line.startsWith('from safetensors')),
    ...loopImports(config, parts.loop),
    'import torch',
    'from torch import nn',
    `from torch.utils.data import ${[...new Set(names)].toSorted().join(', ')}`,
    ...(parts.imports ?? []),
  ]).filter((line) => (line === 'import os' ? text.includes('os.') : line !== 'from datetime import timedelta'));
  // Blank lines after the standard library and before the files of this folder.
  const torch = all.findIndex((line) => /^(import|from) (torch|numpy)/.test(line));
  const standard = all.slice(0, torch);
  return [
    ...standard,
    ...(standard.length > 0 ? [''] : []),
    ...all.slice(torch),
    '',
    OWN[0] ?? '',
    `from launch import ${launch.toSorted().join(', ')}`,
    ...OWN.slice(1),
  ];
}
