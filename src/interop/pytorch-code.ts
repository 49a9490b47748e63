/**
 * The PyTorch script of a run, a few lines in the mode's own idiom, with the anchors that trace events point at. It is the code panel of the page,
 * and it runs as it stands once `X` and `y` hold the data. Lines without events have the anchor 'none'.
 */
import type { Config, LayerConfig } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';

const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });

function layerCode(layer: LayerConfig): string {
  switch (layer.type) {
    case 'Linear':
      return `nn.Linear(${layer.in}, ${layer.out}${layer.bias ? '' : ', bias=False'})`;
    case 'GELU':
      return layer.approximate === 'tanh' ? "nn.GELU(approximate='tanh')" : 'nn.GELU()';
    case 'Softmax':
    case 'LogSoftmax':
      return `nn.${layer.type}(dim=-1)`;
    default:
      return `nn.${layer.type}()`;
  }
}

const sequential = (layers: readonly LayerConfig[]): string => `nn.Sequential(${layers.map(layerCode).join(', ')})`;

function optimizerCode({ optimizer: o }: Config, parameters: string): string {
  const extra: string[] = [];
  const add = (name: string, value: number, fallback: number) => {
    if (value !== fallback) extra.push(`${name}=${value}`);
  };
  if (o.type === 'SGD') {
    add('momentum', o.momentum, 0);
    add('dampening', o.dampening, 0);
    add('weight_decay', o.weightDecay, 0);
    if (o.nesterov) extra.push('nesterov=True');
  } else {
    if (o.beta1 !== 0.9 || o.beta2 !== 0.999) extra.push(`betas=(${o.beta1}, ${o.beta2})`);
    add('eps', o.eps, 1e-8);
    add('weight_decay', o.weightDecay, o.type === 'AdamW' ? 0.01 : 0);
  }
  return `optimizer = torch.optim.${o.type}(${[parameters, `lr=${o.lr}`, ...extra].join(', ')})`;
}

const lossCode = ({ loss }: Config): string => `loss_fn = nn.${loss.type}(${loss.reduction === 'sum' ? "reduction='sum'" : ''})`;

const loaderCode = (config: Config): string =>
  `loader = DataLoader(dataset, batch_size=${config.batchSize}${config.shuffle ? ', shuffle=True' : ''}${config.dropLast ? ', drop_last=True' : ''})`;

/** The loop that all modes share. */
function loop(model: string, device: string, extra: { readonly inForward?: readonly CodeLine[]; readonly inBackward?: readonly CodeLine[] }): CodeLine[] {
  return [
    line('    for x, y in loader:', 'load'),
    line(`        x, y = x.to(${device}), y.to(${device})`, 'to_device'),
    line('        optimizer.zero_grad()', 'zero_grad'),
    line(`        output = ${model}(x)`, 'forward'),
    ...(extra.inForward ?? []),
    line('        loss = loss_fn(output, y)', 'loss'),
    line('        loss.backward()', 'backward'),
    ...(extra.inBackward ?? []),
    line('        optimizer.step()', 'step'),
  ];
}

const epochs = line('for epoch in range(epochs):');

function single(config: Config): CodeLine[] {
  return [
    line(`torch.manual_seed(${config.seed})`),
    line(`model = ${sequential(config.model.layers)}.to('cuda:0')`),
    line(optimizerCode(config, 'model.parameters()')),
    line(lossCode(config)),
    line(loaderCode(config)),
    epochs,
    ...loop('model', "'cuda:0'", {}),
  ];
}

function dataParallel(config: Config): CodeLine[] {
  const ids = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return [
    line(`torch.manual_seed(${config.seed})`),
    line(`model = ${sequential(config.model.layers)}.to('cuda:0')`),
    line(`model = nn.DataParallel(model, device_ids=[${ids}])`),
    line(optimizerCode(config, 'model.parameters()')),
    line(lossCode(config)),
    line(loaderCode(config)),
    epochs,
    ...loop('model', "'cuda:0'", {
      inForward: [
        line('        #   scatter(x): chunks to the devices', 'scatter'),
        line('        #   replicate(module): parameters to the devices', 'replicate'),
        line('        #   parallel_apply(replicas, chunks)', 'parallel_apply'),
        line('        #   gather(outputs) on cuda:0', 'gather'),
      ],
      inBackward: [line('        #   gradients of the replicas summed on cuda:0', 'reduce')],
    }),
  ];
}

function ddp(config: Config): CodeLine[] {
  const { bucketCapMb, samplerSeed } = config.ddp;
  const cap = bucketCapMb === undefined ? '' : `, bucket_cap_mb=${bucketCapMb}`;
  const sampler = ['dataset', ...(config.shuffle ? [] : ['shuffle=False']), ...(samplerSeed === 0 ? [] : [`seed=${samplerSeed}`]), ...(config.dropLast ? ['drop_last=True'] : [])];
  return [
    line(`dist.init_process_group('nccl')  # torchrun --nproc_per_node=${config.worldSize}`),
    line('rank = dist.get_rank()'),
    line(`torch.manual_seed(${config.seed})`),
    line(`model = ${sequential(config.model.layers)}.to(rank)`),
    line(`model = DistributedDataParallel(model, device_ids=[rank]${cap})`, 'broadcast'),
    line(optimizerCode(config, 'model.parameters()')),
    line(lossCode(config)),
    line(`sampler = DistributedSampler(${sampler.join(', ')})`),
    line(`loader = DataLoader(dataset, batch_size=${Math.floor(config.batchSize / config.worldSize)}, sampler=sampler)`),
    epochs,
    line('    sampler.set_epoch(epoch)', 'set_epoch'),
    ...loop('model', 'rank', { inBackward: [line('        #   buckets are all-reduced while backward runs', 'allreduce')] }),
  ];
}

function modelParallel(config: Config, ranges: readonly (readonly number[])[]): CodeLine[] {
  const parts = ranges.map((layers, d) => `        self.part${d} = ${sequential(layers.flatMap((i) => config.model.layers[i] ?? []))}.to('cuda:${d}')`);
  const last = ranges.length - 1;
  const loopLines = loop('model', "'cuda:0'", { inBackward: [line('        #   gradients go back over the same borders', 'send_gradient')] });
  return [
    line('class Model(nn.Module):'),
    line('    def __init__(self):'),
    line('        super().__init__()'),
    ...parts.map((text) => line(text)),
    line('    def forward(self, x):'),
    line('        x = self.part0(x)', 'forward'),
    ...ranges.slice(1).map((_, k) => line(`        x = self.part${k + 1}(x.to('cuda:${k + 1}'))`, 'send_activation')),
    line('        return x'),
    line(`torch.manual_seed(${config.seed})`),
    line('model = Model()'),
    line(optimizerCode(config, 'model.parameters()')),
    line(lossCode(config)),
    line(loaderCode(config)),
    epochs,
    ...loopLines.map((l) => {
      if (l.anchor === 'to_device') return line(`        x, y = x.to('cuda:0'), y.to('cuda:${last}')`, 'to_device');
      return l.anchor === 'forward' ? line(l.text) : l;
    }),
  ];
}

/** `layersOfDevice` places the layers of a model-parallel run. */
export function codeLines(config: Config, layersOfDevice: readonly (readonly number[])[]): readonly CodeLine[] {
  switch (config.mode) {
    case 'single':
      return single(config);
    case 'dataParallel':
      return dataParallel(config);
    case 'ddp':
      return ddp(config);
    case 'modelParallel':
      return modelParallel(config, layersOfDevice);
  }
}
