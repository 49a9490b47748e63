/**
 * Pipelines that go on from a checkpoint of Lockstep's, in exported train.py files: their configurations, and the
 * losses that torch.distributed.pipelining came to when it was last asked. Recorded with `LOCKSTEP_RECORD=1 npx vitest
 * run --project torch src/training/parity/pipeline-resume`, which needs torch 2.6.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { ConfigInput, LayerInput } from '../../protocol/config';
import { mlpLayers } from '../../protocol/presets';
import type { Files } from '../../protocol/session';
import { savedAfter } from './checkpoint-runs';

interface PipelineResume {
  readonly name: string;
  readonly config: ConfigInput;
  /** With the checkpoint that it goes on from. */
  readonly files: () => Promise<Files>;
  /** Whether the run goes on as if it had not stopped: not on another mesh. */
  readonly exact: boolean;
}

const RUN: ConfigInput = {
  device: 'cpu',
  compareSingle: false,
  mode: 'pipeline',
  model: {
    layers: [
      { type: 'Linear', in: 2, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 8 },
      { type: 'Tanh' },
      { type: 'Linear', in: 8, out: 1 },
    ],
  },
  data: { type: 'xor', samples: 128 },
  batchSize: 32,
  seed: 1,
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
};

/** Ranks that draw masks, each from its own generator. */
const DROPPED: ConfigInput = {
  model: {
    layers: mlpLayers([2, 8, 8, 8, 1], 'Tanh').flatMap((layer): LayerInput[] =>
      layer.type === 'Tanh' ? [layer, { type: 'Dropout', p: 0.25 }] : [layer],
    ),
  },
};

/** Steps before the checkpoint: the epoch of 4 steps is left in its middle, and another one begins later. */
export const SAVED_AFTER = 6;
const STEPS = 12;

export const PIPELINE_RESUMES: readonly PipelineResume[] = [
  resumed('GPipe', { mesh: { pp: 2 }, pipeline: { schedule: 'GPipe', microBatches: 4 } }),
  resumed('1F1B, AdamW, parameter groups, a scheduler', {
    mesh: { pp: 2 },
    pipeline: { schedule: '1F1B', microBatches: 4 },
    optimizer: { type: 'AdamW', lr: 0.01 },
    paramGroups: [{ match: '*.bias', weightDecay: 0 }],
    scheduler: { type: 'StepLR', stepSize: 4 },
  }),
  resumed('ZBV, whose first rank has the last stage, Adam', {
    mesh: { pp: 2 },
    pipeline: { schedule: 'ZBVZeroBubble', microBatches: 4 },
    optimizer: { type: 'Adam', lr: 0.01 },
  }),
  resumed('1F1B, 2 replicas', {
    mesh: { pp: 2, dp: 2 },
    pipeline: { schedule: '1F1B', microBatches: 4 },
    optimizer: { type: 'Adam', lr: 0.01 },
  }),
  resumed(
    '4 stages with dropout, saved by 2 stages whose layers were cut',
    { ...DROPPED, mesh: { pp: 4 }, pipeline: { microBatches: 4 } },
    { ...DROPPED, mesh: { pp: 2, tp: 2 }, pipeline: { microBatches: 4 } },
  ),
];

function resumed(name: string, more: ConfigInput, saved = more): PipelineResume {
  return {
    name,
    config: { ...RUN, ...more, steps: STEPS, resume: 'run' },
    files: () => savedAfter({ ...RUN, ...saved }, SAVED_AFTER),
    exact: saved === more,
  };
}

interface RecordedLosses {
  readonly torch: string;
  /** By the name of the case: the mean over replicas, from the checkpoint on. */
  readonly losses: Readonly<Record<string, readonly number[]>>;
}

const file = new URL('../fixtures/pipeline-resumes.json', import.meta.url);
export const recordedResumes = (): RecordedLosses => JSON.parse(readFileSync(file, 'utf8')) as RecordedLosses;
export const recordResumes = (recorded: RecordedLosses): void =>
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
