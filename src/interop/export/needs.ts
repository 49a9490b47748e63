/**
 * Which PyTorch version a script needs, judged by the names that it uses. Called by export-folder.ts for train.py, and
 * for the scripts that the lessons print.
 */
import type { TorchNeeds } from '../../protocol/exported';

/** Names, and the versions that introduced them, newest first. `beside`: a name that the script must have, too. */
const INTRODUCED: readonly (readonly [word: string | RegExp, torch: string, why: string, beside?: string])[] = [
  ['init_sync=', '2.7', "DistributedDataParallel's init_sync"],
  [/\.Adam\([^\n]*decoupled_weight_decay=/, '2.7', "Adam's decoupled_weight_decay"],
  ['torch.distributed.pipelining', '2.6', 'torch.distributed.pipelining'],
  [/ import [^\n]*\bfully_shard\b/, '2.6', 'torch.distributed.fsdp.fully_shard'],
  ['torch.distributed.tensor.parallel', '2.6', 'torch.distributed.tensor.parallel'],
  ['get_total_norm', '2.6', 'nn.utils.get_total_norm'],
  ['torch.amp.GradScaler', '2.3', 'torch.amp.GradScaler'],
  [
    /\.(Adam|AdamW|Adamax|NAdam|RAdam)\([\s\S]*CyclicLR\((?![^)]*cycle_momentum=False)/,
    '2.3',
    'CyclicLR with a beta1 that cycles',
  ],
  [/\.(NAdam|RAdam)\([^\n]*maximize=/, '2.3', 'maximize of NAdam and RAdam'],
  [/\.(NAdam|RAdam)\([^\n]*decoupled_weight_decay=/, '2.2', 'decoupled_weight_decay of NAdam and RAdam'],
  ['torch.distributed.device_mesh', '2.2', 'torch.distributed.device_mesh'],
  ['bf16_compress_hook', '2.2', 'an all-reduce in bfloat16 over gloo'],
  ['model.to(torch.bfloat16)', '2.2', 'an all-reduce in bfloat16 over gloo', 'DistributedDataParallel('],
  [/LayerNorm\([^)]*bias=/, '2.1', 'LayerNorm without a bias'],
  ['use_reentrant=', '2.0', 'checkpoint_sequential with use_reentrant=False'],
];

/** The oldest version that any script runs on. */
export const OLDEST_TORCH = '1.13';

export function needsOf(text: string): TorchNeeds {
  const [, torch = OLDEST_TORCH, why = 'torchrun and torch.autocast on the CPU'] =
    INTRODUCED.find(
      ([word, , , beside = '']) =>
        (typeof word === 'string' ? text.includes(word) : word.test(text)) && text.includes(beside),
    ) ?? [];
  return { torch, why };
}
