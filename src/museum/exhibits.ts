/**
 * The museum of bugs: mistakes of distributed training, each with PyTorch's message, the visible effect, and the cure.
 * mistakes.ts makes them on the real engine; museum.test.ts checks the numbers in these texts. PyTorch is 2.x; if
 * 1.13's message differs, both are quoted. Loaded by the page when the museum is opened.
 */
import type { ExhibitId } from './mistakes';

export interface Exhibit {
  /** The exhibit's name in links: #bug=set-epoch. */
  readonly id: ExhibitId;
  readonly title: string;
  /** The mistake, and why it looked right. */
  readonly mistake: string;
  /** The lines of the PyTorch script that matter. */
  readonly code: { readonly wrong: readonly string[]; readonly right: readonly string[] };
  /** PyTorch's message, or that there is none. */
  readonly says: string;
  /** The effect on the curves, the numbers and the timeline. */
  readonly shows: string;
  readonly cure: string;
  /** Threads of people who had this bug: owner/repository#thread. */
  readonly met: readonly string[];
  /** Threads that ask about it although the script was right. */
  readonly asked?: readonly string[];
}

export const EXHIBITS: readonly Exhibit[] = [
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
      'Before training, each output is too large by one bias. Training hides the mistake: the bias learns half of its right value, and the loss in the group falls to nearly 0. But if the checkpoint runs on one device, or on another number of ranks, the outputs are wrong.',
    cure: 'Add the bias after the sum, as RowwiseParallel does.',
    met: ['huggingface/text-generation-inference#1036', 'EleutherAI/gpt-neox#962', 'awslabs/slapo#10'],
  },
  {
    id: 'optimizer-first',
    title: 'An optimiser made before sharding',
    mistake:
      'The script creates the optimiser first and calls fully_shard later. But fully_shard replaces the parameters with new ones, the shards, and the optimiser still holds the old parameters.',
    code: {
      wrong: ['optimizer = torch.optim.SGD(model.parameters(), lr=0.1)', 'fully_shard(model)'],
      right: ['fully_shard(model)', 'optimizer = torch.optim.SGD(model.parameters(), lr=0.1)'],
    },
    says: 'Nothing. A parameter without a gradient is skipped, and the old parameters never get one. With autocast, GradScaler notices: “No inf checks were recorded for this optimizer.”',
    shows:
      'Every rank gathers, computes and reduce-scatters as usual, but the loss does not change. The whole old parameters also stay in the memory of every rank, because the optimiser still refers to them.',
    cure: 'Shard first, then create the optimiser. Also create everything else that holds parameters after sharding: schedulers, an average of the weights, a list of parameter groups.',
    met: ['intelligent-machine-learning/dlrover#584', 'huggingface/accelerate#3256'],
    asked: ['huggingface/accelerate#3209'],
  },
  {
    id: 'own-norm',
    title: 'Clipping by the norm of own shards',
    mistake:
      'Gradients are clipped by hand, with the norm of the shards on the rank: p.grad.to_local(). Each rank has different shards, so each rank computes a different norm and multiplies its gradients by a different factor.',
    code: {
      wrong: [
        'norms = [p.grad.to_local().norm() for p in model.parameters()]',
        'norm = torch.stack(norms).norm()',
        'for p in model.parameters():',
        '    p.grad.mul_(min(1.0, 1.0 / norm.item()))',
      ],
      right: ['torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)'],
    },
    says: 'Nothing. With FullyShardedDataParallel, the older wrapper, even torch.nn.utils.clip_grad_norm_ makes this mistake, because there the parameters of a rank are plain tensors with only its shards. The method of the wrapper, model.clip_grad_norm_(1.0), is right.',
    shows:
      'The two ranks multiply by different factors, and one device by a third one. So the gradient has the wrong length and the wrong direction, and after some steps the weights differ from those of one device. With another number of ranks they would be different again.',
    cure: 'Let PyTorch clip: it adds the squares over all shards. By hand, all-reduce the sum of the squares before you take the root. Clipping by value needs no sum.',
    met: ['PrimeIntellect-ai/OpenDiloco#6', 'pytorch/pytorch#72548'],
    asked: ['meta-pytorch/torchtune#2169'],
  },
  {
    id: 'sync-every-pass',
    title: 'set_requires_gradient_sync forgotten',
    mistake:
      'Gradients are accumulated over four passes. Under DDP the first three are inside no_sync(). fully_shard has no no_sync(), so the script now reduces the gradients in every pass.',
    code: {
      wrong: ['for i, (x, y) in enumerate(passes):', '    (criterion(model(x), y) / 4).backward()'],
      right: [
        'for i, (x, y) in enumerate(passes):',
        '    model.set_requires_gradient_sync(i == 3)',
        '    (criterion(model(x), y) / 4).backward()',
      ],
    },
    says: 'Nothing: PyTorch adds the result of each reduce-scatter to the gradients of the shards, and the sum is right.',
    shows:
      'The loss is the same as with the cure, within rounding. But every pass reduce-scatters all gradients, so they are sent four times in each step. With the cure they are sent once, but each rank keeps whole gradients from pass to pass, which the memory panel shows.',
    cure: 'Switch the sync off for all passes except the last. If it is never switched on again, the shards get no gradients and nothing is trained. If memory is short, you may want to reduce in every pass.',
    met: ['mlfoundations/open_lm#48', 'NVIDIA/cosmos-framework#161'],
    asked: ['pytorch/torchtitan#292'],
  },
  {
    id: 'rank0-shard',
    title: 'Rank 0 saves its shard as the model',
    mistake:
      'Under DDP rank 0 has the whole model, so rank 0 saves it. When the model was sharded, this line was not changed, and now rank 0 has only a shard of each tensor.',
    code: {
      wrong: [
        'if rank == 0:',
        '    state = {k: v.to_local() for k, v in model.state_dict().items()}',
        "    torch.save(state, 'model.pt')",
      ],
      right: [
        'full = StateDictOptions(full_state_dict=True, cpu_offload=True)',
        'state = get_model_state_dict(model, options=full)  # on every rank',
        'if rank == 0:',
        "    torch.save(state, 'model.pt')",
      ],
    },
    says: 'Nothing when the file is written. When it is loaded: “size mismatch for 0.weight: copying a param with shape torch.Size([2, 2]) from checkpoint, the shape in current model is torch.Size([4, 2]).”',
    shows:
      'The training is right, and so is the loss. The file has the shapes of a smaller model, and one device cannot load it. By then the job has ended, and the shards of the other ranks are lost.',
    cure: 'get_model_state_dict with full_state_dict gathers every tensor, so all ranks must call it, and rank 0 gets the result. If the model is too large for one machine, save the shards of all ranks with torch.distributed.checkpoint.',
    met: ['huggingface/accelerate#4206', 'pytorch/pytorch#136950'],
  },
  {
    id: 'half-unscaled',
    title: 'float16 without a scaler',
    mistake:
      'The forward pass now runs under autocast with float16, and the rest of the loop was not changed. float16 has no number between 0 and 6e-8, so smaller gradients become 0.',
    code: {
      wrong: [
        "with torch.autocast('cuda', dtype=torch.float16):",
        '    loss = criterion(model(x), y)',
        'loss.backward()',
        'optimizer.step()',
      ],
      right: [
        "with torch.autocast('cuda', dtype=torch.float16):",
        '    loss = criterion(model(x), y)',
        'scaler.scale(loss).backward()',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
    },
    says: 'Nothing: there is no inf and no NaN, and the loss looks as if the net could not learn the task.',
    shows:
      'The loss stays at 0.69. The gradients of the first layers are so small that they become 0: stop at a moment in which a gradient is cast to float32, and the room counts the zeros beside the range of float16. With the scaler the same net learns.',
    cure: 'Scale the loss with torch.amp.GradScaler, or use bfloat16, which has the range of float32 and needs no scaler.',
    met: ['engichang1467/Open-Rig3R#35'],
    asked: ['THUNLP-MT/THUMT#72'],
  },
  {
    id: 'clip-scaled',
    title: 'Clipping before unscale_',
    mistake:
      'The script clipped gradients before it used a scaler. Now the same line clips gradients that are 65,536 times too large, and scaler.step() divides the clipped gradients by this factor.',
    code: {
      wrong: [
        'scaler.scale(loss).backward()',
        'clip_grad_norm_(model.parameters(), 1)',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
      right: [
        'scaler.scale(loss).backward()',
        'scaler.unscale_(optimizer)',
        'clip_grad_norm_(model.parameters(), 1)',
        'scaler.step(optimizer)',
        'scaler.update()',
      ],
    },
    says: 'Nothing.',
    shows:
      'The weights hardly change: after clipping and unscaling, the norm of all gradients is 1/65,536. A limit multiplied by the scale would not help for long, because the scale changes.',
    cure: 'Call scaler.unscale_(optimizer) before any code that reads the gradients. scaler.step() then does not unscale again.',
    met: ['Lightning-AI/pytorch-lightning#9330', 'milesial/Pytorch-UNet#470', 'pytorch/examples#1196'],
  },
];
