/** Exhibits about DDP and its scripts: samplers, seeds, losses, buffers, checkpoints. Called by exhibits.ts. */
import type { Exhibit } from './exhibit';

export const DDP_EXHIBITS: readonly Exhibit[] = [
  {
    id: 'set-epoch',
    title: 'set_epoch forgotten',
    mistake:
      'The DistributedSampler shuffles the rows, so the script looks right. But the order depends on seed + epoch, and the script never tells the sampler the epoch: epoch stays 0.',
    code: {
      wrong: ['for epoch in range(epochs):', '    for x, y in loader:'],
      right: ['for epoch in range(epochs):', '    sampler.set_epoch(epoch)', '    for x, y in loader:'],
    },
    says: 'Nothing.',
    shows:
      'Every epoch has the rows in the same order: the loss curve goes up and down at the same places in every epoch, and each rank always reads the same quarter of the data.',
    cure: 'Call sampler.set_epoch(epoch) at the start of each epoch.',
    met: ['pytorch/pytorch#31771', 'pytorch/pytorch#40043'],
  },
  {
    id: 'seeds',
    title: 'Different seeds, and no broadcast',
    mistake:
      'Each rank seeds its generator with seed + rank, so each rank starts with different weights, and nothing broadcasts the weights of rank 0. This happens if a script averages gradients by hand, or with DDP(init_sync=False) (PyTorch 2.7 and later).',
    code: {
      wrong: ['torch.manual_seed(seed + rank)', 'model = Net()', 'ddp = DDP(model, init_sync=False)'],
      right: ['torch.manual_seed(seed + rank)', 'model = Net()', 'ddp = DDP(model)'],
    },
    says: 'Nothing.',
    shows:
      'All ranks apply the same averaged gradient to different weights, so the replicas never become equal: their divergence stays as large as at the start (only weight decay makes it smaller), and every rank has another loss.',
    cure: "Let DDP broadcast rank 0's parameters and buffers, or give all ranks the same seed.",
    met: ['Lightning-AI/pytorch-lightning#6013'],
    asked: ['facebookresearch/detr#544'],
  },
  {
    id: 'sum-loss',
    title: 'Summed instead of averaged loss',
    mistake:
      'On one device, reduction="sum" with a smaller learning rate trains like a mean. DDP averages the gradients over the ranks, whatever the loss does.',
    code: {
      wrong: ['loss = F.binary_cross_entropy_with_logits(out, y, reduction="sum")'],
      right: ['loss = F.binary_cross_entropy_with_logits(out, y)'],
    },
    says: 'Nothing.',
    shows:
      'The gradient is the sum over all rows divided by the world size: exactly 1/4 of the gradient that one device computes on the same batch. With another world size it is another fraction. The difference from one device grows from the first step.',
    cure: 'Average the loss, or multiply the summed loss by the world size.',
    met: ['facebookresearch/fairseq#494', 'ultralytics/ultralytics#18616'],
  },
  {
    id: 'no-sync',
    title: 'Forward outside no_sync',
    mistake:
      'Gradients are accumulated over four micro-batches. Only backward() is inside no_sync(), but DDP decides during forward() whether the next backward pass reduces the gradients.',
    code: {
      wrong: ['out = ddp(x)', 'with ddp.no_sync():', '    (criterion(out, y) / 4).backward()'],
      right: ['with ddp.no_sync():', '    out = ddp(x)', '    (criterion(out, y) / 4).backward()'],
    },
    says: 'Nothing.',
    shows:
      'The weights are right within rounding, but every micro-batch is all-reduced: four times as many bytes and four times as much waiting for one step of the optimiser. If a script sets require_backward_grad_sync by hand between forward and backward, the result is worse: only the first micro-batch is averaged, and the replicas become different.',
    cure: 'Put forward and backward of all micro-batches except the last inside no_sync().',
    met: ['karpathy/build-nanogpt#30'],
  },
  {
    id: 'unused',
    title: 'An unused parameter',
    mistake:
      'The model has a head that forward() does not call. The gradients of the head never become ready, so the bucket that holds them is never reduced.',
    code: {
      wrong: ['self.old_head = nn.Linear(8, 1)  # forward() does not call it', 'ddp = DDP(model)'],
      right: ['self.old_head = nn.Linear(8, 1)', 'ddp = DDP(model, find_unused_parameters=True)'],
    },
    says: 'At the second forward: “Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not used in producing loss.”',
    shows:
      'The first step ends without any all-reduce, so each rank has applied its own gradients; the second step fails. With find_unused_parameters=True the unused parameters are marked as ready at once and get no gradient.',
    cure: 'Remove the module, or pass find_unused_parameters=True, which walks the graph in every iteration.',
    met: ['pytorch/pytorch#43259'],
  },
  {
    id: 'order',
    title: 'Collectives in another order',
    mistake:
      'Only rank 0 averages a metric before the gradients. That is one extra all-reduce, and it pairs every later call of rank 0 with the wrong call of the other ranks.',
    code: {
      wrong: ['if rank == 0:', '    dist.all_reduce(metric)', 'dist.all_reduce(grad)'],
      right: ['dist.all_reduce(metric)', 'dist.all_reduce(grad)'],
    },
    says: 'With TORCH_DISTRIBUTED_DEBUG=DETAIL: “Detected mismatch between collectives on ranks.” Without it, wrong sums (with gloo even if the shapes differ), or a hang until the timeout.',
    shows:
      'In the ledger, the ranks have the same sequence number with different shapes; or rank 0 waits alone for a collective that no other rank will call.',
    cure: 'Every rank calls the same collectives in the same order. If only one rank needs a number, compute it without a collective, or call the collective on all ranks.',
    met: ['alan-turing-institute/autocast#386', 'NVIDIA-NeMo/Automodel#2468'],
  },
  {
    id: 'rank0-eval',
    title: 'Evaluation with BatchNorm on rank 0 only',
    mistake:
      'Only rank 0 evaluates, and it calls the model wrapped in DDP. The forward() of DDP first broadcasts the running statistics, even after eval(), and the other ranks do not join.',
    code: {
      wrong: ['if rank == 0:', '    ddp.eval()', '    out = ddp(x_test)'],
      right: ['if rank == 0:', '    ddp.eval()', '    out = ddp.module(x_test)'],
    },
    says: 'With gloo, after 30 minutes: rank 0 “Timed out waiting 1800000ms for send operation to complete”, the others the same “for recv operation”. With NCCL the watchdog ends the process after 10 minutes. With TORCH_DISTRIBUTED_DEBUG=DETAIL at once: “Detected mismatch between collectives on ranks.”',
    shows:
      "Rank 0 is in a broadcast, the others in the barrier after it. Without a barrier rank 0 does continue: its broadcast is paired with the broadcast of the others' next training step, and from then on rank 0 is one collective behind.",
    cure: 'Evaluate through ddp.module on one rank, or let all ranks evaluate.',
    met: ['pytorch/pytorch#20611', 'pytorch/pytorch#54059'],
  },
  {
    id: 'uneven',
    title: 'Uneven inputs without join',
    mistake:
      'The data is split by hand, and one rank has one batch more than the others. With this batch it waits for an all-reduce that the other ranks never call.',
    code: {
      wrong: ['for x, y in my_loader:', '    ddp(x) ...'],
      right: ['with ddp.join():', '    for x, y in my_loader:', '        ddp(x) ...'],
    },
    says: '“Connection closed by peer”, or a timeout: after 10 minutes with NCCL, after 30 with gloo.',
    shows:
      'In the step after the last batch of the other ranks, the rank with one more batch waits in the all-reduce of bucket 0.',
    cure: 'Use a DistributedSampler, which repeats its first rows until all ranks have the same number, or train inside ddp.join(): ranks without further batches take part with zeros.',
    met: ['pytorch/pytorch#33148', 'pytorch/pytorch#38174'],
  },
  {
    id: 'last-batch',
    title: 'A last batch of 3 against 1',
    mistake:
      'In the last step of an epoch, one rank has 3 rows and the other rank has 1. DDP averages the two means as if both ranks had the same number of rows.',
    code: {
      wrong: ['loss = criterion(ddp(x), y)  # 3 rows here, 1 row there', 'loss.backward()'],
      right: [
        'sampler = DistributedSampler(data)  # repeats rows: equal counts everywhere',
        'loss = criterion(ddp(x), y)',
        'loss.backward()',
      ],
    },
    says: 'Nothing.',
    shows:
      'In the last step of an epoch the single row of rank 1 counts three times as much as each row of rank 0. In exactly this step the difference from one device becomes larger than rounding.',
    cure: 'Multiply the loss by rows * world_size / all_rows: this is exact. A DistributedSampler gives all ranks the same number of rows: it repeats the first rows, which then count twice, in metrics, too. With drop_last it leaves rows out instead.',
    met: ['huggingface/transformers#34242', 'pytorch/pytorch#25162'],
  },
  {
    id: 'every-rank-saves',
    title: 'Every rank writes the checkpoint',
    mistake:
      'torch.save() is in the training loop without "if rank == 0", so all ranks write the same file at the same time.',
    code: {
      wrong: ['torch.save(ddp.state_dict(), "model.pt")'],
      right: ['if rank == 0:', '    torch.save(ddp.module.state_dict(), "model.pt")', 'dist.barrier()'],
    },
    says: 'Nothing while the file is written. When it is read, if the ranks have written files of different lengths, mostly “record size (8000 bytes) does not match expected size (4000 bytes …) for dtype Byte”; in PyTorch 1.13 “PytorchStreamReader failed reading file data/1: invalid header or archive is corrupted”. If the files have the same length, often nothing: torch.load returns tensors that are partly from one rank and partly from another.',
    shows:
      'The file is a mixture: the header of one rank, the tensors of others, and the end of the file of the rank that wrote last.',
    cure: 'Only rank 0 writes, to a file with another name, which it renames at the end. The others wait at a barrier before they read.',
    met: ['NVIDIA/apex#886', 'bytedance/ibot#15'],
  },
  {
    id: 'learning-rate',
    title: 'Learning rate not scaled with the world size',
    mistake:
      'The script ran well on one device with a batch of 8. On four ranks each rank still reads 8 rows, so a step averages 32 rows and an epoch has a quarter of the steps. The learning rate was not changed.',
    code: {
      wrong: ['opt = torch.optim.SGD(ddp.parameters(), lr=0.05)'],
      right: ['opt = torch.optim.SGD(ddp.parameters(), lr=0.05 * dist.get_world_size())'],
    },
    says: 'Nothing.',
    shows: 'After the same number of epochs the loss is where one device was after a quarter of the epochs.',
    cure: 'With SGD multiply the learning rate by the world size, and warm it up (Goyal et al. 2017). With very large batches this rule fails. For Adam the square root of the world size fits better (Malladi et al. 2022).',
    met: ['open-mmlab/mmdetection#815', 'ultralytics/yolov5#5249'],
  },
  {
    id: 'seed-before-model',
    title: 'The model is built after the seeds differ',
    mistake:
      'Each rank sets its own seed for augmentation before it builds the model. DDP hides the mistake: it overwrites all weights with those of rank 0. But copies and numbers that the script computed from the model before, such as an averaged copy or a logged norm, stay different.',
    code: {
      wrong: ['torch.manual_seed(seed + rank)', 'model = Net()', 'ema = copy.deepcopy(model)', 'ddp = DDP(model)'],
      right: [
        'torch.manual_seed(seed)',
        'model = Net()',
        'torch.manual_seed(seed + rank)',
        'ema = copy.deepcopy(model)',
        'ddp = DDP(model)',
      ],
    },
    says: 'Nothing.',
    shows:
      'The replicas differ before the constructor of DDP and are equal after it: only the broadcast makes them equal. With the cure they are equal before the broadcast, too.',
    cure: 'Build the model with one seed, then set different seeds; or copy the model after DDP has been constructed.',
    met: [],
    asked: ['karpathy/nanoGPT#22'],
  },
];
