# python one_gpu.py [EPOCHS]
import os, sys, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

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
    return (counts[0] / counts[1]).item()

def main(epochs):
    device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')

    train_set, test_set = make_data()
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=64)

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    first = 0
    if os.path.exists('checkpoint.pt'):
        saved = torch.load('checkpoint.pt', map_location=device)
        model.load_state_dict(saved['model'])
        optimizer.load_state_dict(saved['optimizer'])
        first = saved['epoch'] + 1
    loss_fn = nn.BCEWithLogitsLoss()

    for epoch in range(first, epochs):
        sums = torch.zeros(2, device=device)  # losses, rows
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            sums[0] += loss.detach() * len(y)
            sums[1] += len(y)
        accuracy = evaluate(model, test_loader, device)
        print(f'epoch {epoch}: loss {sums[0] / sums[1]:.6f}, accuracy {accuracy:.6f}')
        saved = {'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': epoch}
        torch.save(saved, 'checkpoint.tmp')
        os.replace('checkpoint.tmp', 'checkpoint.pt')

if __name__ == '__main__':
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
