# torchrun --nproc_per_node=4 many_gpus.py [EPOCHS]
import os, sys, torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

def make_data():
    generator = torch.Generator().manual_seed(0)
    x = 2 * torch.rand(1005, 2, generator=generator) - 1
    y = (x.norm(dim=1, keepdim=True) < 0.7).float()
    return TensorDataset(x[:800], y[:800]), TensorDataset(x[800:], y[800:])

def evaluate(model, loader, device):
    counts = torch.zeros(2, device=device)  # right answers, rows
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            right = (model(x.to(device)) > 0) == (y.to(device) > 0)
            counts[0] += right.sum()
            counts[1] += len(y)
    model.train()
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()

def main(epochs):
    local_rank = int(os.environ['LOCAL_RANK'])
    on_gpu = torch.cuda.device_count() >= int(os.environ['LOCAL_WORLD_SIZE'])
    device = torch.device('cuda', local_rank) if on_gpu else torch.device('cpu')
    if on_gpu:
        torch.cuda.set_device(device)
    dist.init_process_group('nccl' if on_gpu else 'gloo')
    rank, world_size = dist.get_rank(), dist.get_world_size()

    train_set, test_set = make_data()
    sampler = DistributedSampler(train_set)
    train_loader = DataLoader(train_set, batch_size=64 // world_size, sampler=sampler)
    own_rows = Subset(test_set, range(rank, len(test_set), world_size))
    test_loader = DataLoader(own_rows, batch_size=64)

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    first = 0
    if os.path.exists('checkpoint.pt'):
        saved = torch.load('checkpoint.pt', map_location=device)
        model.load_state_dict(saved['model'])
        optimizer.load_state_dict(saved['optimizer'])
        first = saved['epoch'] + 1
    model = DistributedDataParallel(model, device_ids=[local_rank] if on_gpu else None)
    loss_fn = nn.BCEWithLogitsLoss()

    for epoch in range(first, epochs):
        sampler.set_epoch(epoch)
        sums = torch.zeros(2, device=device)  # losses, rows
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            sums[0] += loss.detach() * len(y)
            sums[1] += len(y)
        dist.all_reduce(sums)
        accuracy = evaluate(model.module, test_loader, device)
        if rank == 0:
            print(f'epoch {epoch}: loss {sums[0] / sums[1]:.6f}, accuracy {accuracy:.6f}')
            saved = {'model': model.module.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': epoch}
            torch.save(saved, 'checkpoint.tmp')
            os.replace('checkpoint.tmp', 'checkpoint.pt')
    del model  # DDP holds the process group
    dist.destroy_process_group()

if __name__ == '__main__':
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
