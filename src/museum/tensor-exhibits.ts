/** Exhibits about tensor groups: ranks that share layers. Called by exhibits.ts. */
import type { Exhibit } from './exhibit';

export const TENSOR_EXHIBITS: readonly Exhibit[] = [
  {
    id: 'wrong-name',
    title: 'A plan that names no module',
    mistake:
      'The plan was written for a model inside a wrapper, where the layers are called net.0 and net.2. In this model they are called 0 and 2. The script runs, and the loss falls as it should.',
    code: {
      wrong: [
        "plan = {'net.0': ColwiseParallel(), 'net.2': RowwiseParallel()}",
        'parallelize_module(model, mesh, plan)',
      ],
      right: ["plan = {'0': ColwiseParallel(), '2': RowwiseParallel()}", 'parallelize_module(model, mesh, plan)'],
    },
    says: 'A warning for each entry that names no module. Then PyTorch skips the entry. In the output of many ranks such warnings are easily overlooked.',
    shows:
      'Both ranks hold and compute the whole model. They send nothing, and each needs as much memory and time as one device alone. The numbers are right, so the loss curve does not show the mistake. With the cure each rank has half of two layers, and all-reduces appear in the timeline.',
    cure: 'Print model.named_modules() and copy the names. After parallelize_module, check that the weights are DTensors: isinstance(p, DTensor) for each parameter that the plan should cut.',
    met: ['huggingface/transformers#37893', 'pytorch/pytorch#157182'],
  },
  {
    id: 'own-batches',
    title: 'A tensor group whose ranks read different batches',
    mistake:
      'Each rank passes its own rank to the DistributedSampler, as under DDP. But the ranks of a tensor group compute parts of the same layers, and the all-reduce adds these parts up. Here the parts belong to different samples.',
    code: {
      wrong: ['sampler = DistributedSampler(data)  # one share for each rank'],
      right: [
        "dp = mesh['dp']  # without that axis: num_replicas=1, rank=0",
        'sampler = DistributedSampler(data, num_replicas=dp.size(), rank=dp.get_local_rank())',
      ],
    },
    says: 'Nothing. DTensor assumes that the inputs of all ranks are equal, and does not compare them. DeepSpeed compares, and stops with “Data inconsistency within the TP group”.',
    shows:
      'Both ranks have the same output, which is right for neither batch. The bias that is added after the sum should be equal on both ranks, but it becomes different, because each rank computes its gradient from its own targets. The trained weights are useless on one device.',
    cure: 'Give the sampler the number of replicas and the index of the replica instead of world size and rank: all ranks of a tensor group must read the same batch.',
    met: ['deepspeedai/DeepSpeed#7199', 'huggingface/accelerate#3092'],
  },
  {
    id: 'rank0-logs',
    title: 'Logging on rank 0 inside a tensor group',
    mistake:
      'Only rank 0 prints the norm of a weight. But the weight is cut, so full_tensor() is an all-gather, and rank 1 never calls it. Rank 1 continues with the all-reduce of its next forward pass.',
    code: {
      wrong: ['if rank == 0:', '    print(weight.full_tensor().norm())'],
      right: ['norm = weight.full_tensor().norm()  # on every rank', 'if rank == 0:', '    print(norm)'],
    },
    says: 'With TORCH_DISTRIBUTED_DEBUG=DETAIL: “Detected mismatch between collectives on ranks.” Without it, a hang until the timeout, or wrong numbers.',
    shows:
      'Rank 0 is in an all-gather while rank 1 is in an all-reduce, both with the same sequence number. If the line is the last one of the script, rank 0 waits alone, because the other rank has ended. Under DDP this line is no mistake, since every rank has the whole weight.',
    cure: 'Call full_tensor() on every rank and print on one. The norm, the sum or the item() of a DTensor that is cut needs all ranks, too.',
    met: ['areal-project/AReaL#187'],
  },
  {
    id: 'bias-twice',
    title: 'A bias added once per rank',
    mistake:
      'A layer cut by rows was written by hand: F.linear with weight and bias, then an all-reduce. Each of the two ranks adds the bias before the sum, so the result contains the bias twice.',
    code: {
      wrong: ['out = F.linear(h, weight, bias)', 'dist.all_reduce(out)'],
      right: ['out = F.linear(h, weight)', 'dist.all_reduce(out)', 'out = out + bias'],
    },
    says: 'Nothing.',
    shows:
      'Before training, each output is too large by one bias. Training hides the mistake: the bias learns half of its right value, and the loss in the group falls to nearly 0. But if the trained weights are used on one device, or on another number of ranks, the outputs are wrong.',
    cure: 'Add the bias after the sum, as RowwiseParallel does.',
    met: ['huggingface/text-generation-inference#1036', 'EleutherAI/gpt-neox#962', 'awslabs/slapo#10'],
  },
];
