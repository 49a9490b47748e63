/** A script needs the PyTorch that introduced the newest of its names. */
import { expect, test } from 'vitest';
import { needsOf, OLDEST_TORCH } from './needs';

test.each([
  ['nn.LayerNorm(9, eps=1e-3), nn.Linear(9, 2, bias=False)', OLDEST_TORCH],
  ['nn.LayerNorm(9, bias=False)', '2.1'],
  ['torch.optim.Adam(model.parameters(), lr=0.01, decoupled_weight_decay=True)', '2.7'],
  ['torch.optim.RAdam(model.parameters(), lr=0.01, decoupled_weight_decay=True)', '2.2'],
  ['torch.optim.NAdam(model.parameters(), lr=0.01, decoupled_weight_decay=True, maximize=True)', '2.3'],
  ['from torch.distributed.fsdp import fully_shard', '2.6'],
  ['from torch.distributed.fsdp import CPUOffloadPolicy, fully_shard', '2.6'],
  ['from torch.distributed.device_mesh import init_device_mesh', '2.2'],
])('%s: %s', (text, torch) => {
  expect(needsOf(text).torch).toBe(torch);
});
