/** The line that starts the listing, and a rank's device on several nodes. */
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { PARALLEL_MODES } from '../../parallel/modes';
import { type ConfigInput, configSchema } from '../../protocol/config';
import { launchLines } from './launch-command';

const config = (input: ConfigInput) => v.parse(configSchema, input);

test.each<[ConfigInput, readonly string[]]>([
  [{}, []],
  [{ visibleDevices: [2] }, ['# CUDA_VISIBLE_DEVICES=2 python train.py']],
  [
    { mode: 'ddp', worldSize: 2, visibleDevices: [3, 1] },
    ['# CUDA_VISIBLE_DEVICES=3,1 torchrun --nproc_per_node=2 train.py'],
  ],
  [
    { mode: 'ddp', worldSize: 4, nodes: 2 },
    [
      '# on each of 2 nodes: torchrun --nnodes=2 --nproc_per_node=2 \\',
      '#     --rdzv_backend=c10d --rdzv_endpoint=node0:29400 train.py',
    ],
  ],
  [
    { mode: 'ddp', worldSize: 2, maxRestarts: 7 },
    [
      '# torchrun --nproc_per_node=2 --max_restarts=7 train.py',
      '# ranks that torchrun restarts begin at the top; the run here continues from its last checkpoint',
    ],
  ],
])('%j', (input, expected) => {
  expect(launchLines(config(input), config(input).mode === 'ddp')).toEqual(expected);
});

test.each([1, 2])('with %i nodes a rank computes on cuda:LOCAL_RANK', (nodes) => {
  const settings = config({ mode: 'ddp', worldSize: 4, nodes });
  const text = PARALLEL_MODES.ddp.listing
    .get()(settings)
    .map((line) => line.text)
    .join('\n');
  expect(text).toContain("device = torch.device('cuda', int(os.environ['LOCAL_RANK'])) if gpus else");
  expect(text).toContain('device_ids=[device] if gpus else None');
  expect(text).not.toMatch(/\.to\(rank\)/);
});

test("a timeout that is not the default is the process group's", () => {
  const settings = config({ mode: 'ddp', worldSize: 2, timeoutS: 5 });
  const text = PARALLEL_MODES.ddp.listing
    .get()(settings)
    .map((line) => line.text);
  expect(text).toContain(
    "torch.distributed.init_process_group('nccl' if gpus else 'gloo', timeout=timedelta(seconds=5))",
  );
  expect(text).toContain('from datetime import timedelta');
});
