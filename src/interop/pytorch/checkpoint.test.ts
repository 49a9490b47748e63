/**
 * The listing of a run that resumes: map_location on every rank, or rank 0 and a broadcast; the schedule catches up
 * before the optimizer's state comes.
 */

import * as v from 'valibot';
import { expect, test } from 'vitest';
import { PARALLEL_MODES } from '../../parallel/modes';
import { type ConfigInput, configSchema } from '../../protocol/config';

function listing(input: ConfigInput): string {
  const config = v.parse(configSchema, { resume: 'ckpt/run', ...input });
  return PARALLEL_MODES[config.mode].listing
    .get()(config)
    .map((l) => l.text)
    .join('\n');
}

test('every rank reads onto its own device', () => {
  const text = listing({ mode: 'ddp', scheduler: { type: 'StepLR', stepSize: 3 }, weights: 'w.safetensors' });
  expect(text).toContain("model.load_state_dict(load_file('ckpt/run.safetensors', device=str(device)))");
  expect(text).toContain("load_state('ckpt/run.state.safetensors', map_location=device, process=rank)");
  expect(text).not.toContain('w.safetensors');
  expect(text.match(/import load_file/g)).toHaveLength(1);
  expect(text.indexOf("for _ in range(int(meta['optimizer_steps'])):")).toBeLessThan(
    text.indexOf('optimizer.load_state_dict'),
  );
  // torch warns of a scheduler that steps before its optimizer ever did.
  expect(text.indexOf('optimizer.step()  # without gradients')).toBeLessThan(text.indexOf('for _ in range('));
  expect(text).toContain('    for x, y in rest if epoch == first else loader:');
  expect(text.indexOf('model.load_state_dict')).toBeLessThan(text.indexOf('DistributedDataParallel(model'));
});

test('rank 0 reads and broadcasts', () => {
  const text = listing({ mode: 'ddp', resumeBy: 'rank0' });
  expect(text).toContain('if rank == 0:');
  expect(text).toContain('torch.distributed.broadcast_object_list(saved, src=0)');
});

test('one process broadcasts nothing; without a checkpoint no line is about checkpoints', () => {
  expect(listing({ mode: 'single', resumeBy: 'rank0' })).toContain(
    "load_file('ckpt/run.safetensors', device=str(device))",
  );
  expect(listing({ mode: 'dataParallel', resume: undefined })).not.toContain('safe');
});
