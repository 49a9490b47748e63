/** Exhibits about fully_shard: ranks that have only shards of the parameters. Called by exhibits.ts. */
import type { Exhibit } from './exhibit';

export const SHARDED_EXHIBITS: readonly Exhibit[] = [
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
    says: 'Nothing. With FullyShardedDataParallel, the older wrapper, even torch.nn.utils.clip_grad_norm_ makes this mistake, because there a rank’s parameters are plain tensors that hold only its shards. The method of the wrapper, model.clip_grad_norm_(1.0), is right.',
    shows:
      'The two ranks multiply by different factors, and a single device would use a third factor. So the gradient has the wrong length and the wrong direction, and after some steps the weights differ from those of one device. With another number of ranks they would be different again.',
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
];
