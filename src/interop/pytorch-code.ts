/**
 * The PyTorch script of a run, in the idiom of its mode: the code panel of the page. It runs as it stands and prints the losses of the run. Events
 * of the trace point at a line by its anchor, so an anchor stands on one line only; lines that no event points at have 'none'. Called by session.
 */
import type { Config, LayerConfig } from '../protocol/config';
import type { CodeLine } from '../protocol/trace';
import { dataCode } from './pytorch-data';

const line = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });
const lines = (...texts: readonly string[]): CodeLine[] => texts.map((text) => line(text));

const WIDTH = 76;

/** An argument `name=value` where the value is not PyTorch's own default. */
const keyword = (name: string, value: number, fallback: number): string[] =>
  value === fallback ? [] : [`${name}=${value}`];

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

/** `before` nn.Sequential(...) `after`, over several lines where one is too short. */
function sequential(before: string, layers: readonly LayerConfig[], after: string): CodeLine[] {
  const codes = layers.map(layerCode);
  const whole = `${before}nn.Sequential(${codes.join(', ')})${after}`;
  if (whole.length <= WIDTH) return lines(whole);
  const margin = before.slice(0, before.length - before.trimStart().length);
  const rows: string[] = [];
  for (const code of codes) {
    const last = rows.at(-1);
    if (last !== undefined && `${last} ${code},`.length <= WIDTH) rows[rows.length - 1] = `${last} ${code},`;
    else rows.push(`${margin}    ${code},`);
  }
  return lines(`${before}nn.Sequential(`, ...rows, `${margin})${after}`);
}

function optimizerCode({ optimizer: o }: Config): string {
  const args = ['model.parameters()', `lr=${o.lr}`];
  if (o.type === 'SGD') {
    args.push(...keyword('momentum', o.momentum, 0), ...keyword('dampening', o.dampening, 0));
    args.push(...keyword('weight_decay', o.weightDecay, 0), ...(o.nesterov ? ['nesterov=True'] : []));
  } else {
    if (o.beta1 !== 0.9 || o.beta2 !== 0.999) args.push(`betas=(${o.beta1}, ${o.beta2})`);
    args.push(...keyword('eps', o.eps, 1e-8), ...keyword('weight_decay', o.weightDecay, o.type === 'AdamW' ? 0.01 : 0));
  }
  return `optimizer = torch.optim.${o.type}(${args.join(', ')})`;
}

/** What is learnt with, and the single-process loader: the lines after the model, but for DDP's sampler. */
function training(config: Config): CodeLine[] {
  const { loss } = config;
  return lines(
    optimizerCode(config),
    `loss_fn = nn.${loss.type}(${loss.reduction === 'sum' ? "reduction='sum'" : ''})`,
  );
}

function loader({ batchSize, shuffle, dropLast }: Config): CodeLine {
  const args = ['dataset', `batch_size=${batchSize}`, ...(shuffle ? ['shuffle=True'] : [])];
  return line(`loader = DataLoader(${[...args, ...(dropLast ? ['drop_last=True'] : [])].join(', ')})`);
}

function imports(config: Config, ...more: readonly string[]): CodeLine[] {
  const { imports: own, names } = dataCode(config);
  const loader = `from torch.utils.data import ${['DataLoader', ...names].join(', ')}`;
  return lines(...own, 'import torch', 'from torch import nn', loader, ...more);
}

/** From the seed to the last draw that comes before the model's. */
function seedAndData(config: Config): CodeLine[] {
  const epochs = config.epochs === undefined ? ['epochs = 10'] : [];
  return lines(`torch.manual_seed(${config.seed})`, ...dataCode(config).lines, ...epochs);
}

interface LoopParts {
  readonly inputs: string;
  readonly targets: string;
  /** DDP: before the batches of an epoch. */
  readonly epochStart?: readonly CodeLine[];
  /** What happens within model(x), and within backward. */
  readonly inForward?: readonly CodeLine[];
  readonly inBackward?: readonly CodeLine[];
  /** Model parallel: the forward pass has lines of its own. */
  readonly forwardAnchor?: string;
}

function loop(config: Config, parts: LoopParts): CodeLine[] {
  return [
    line(`for epoch in range(${config.epochs ?? 'epochs'}):`),
    ...(parts.epochStart ?? []),
    line('    for x, y in loader:', 'load'),
    line(`        x, y = x.to(${parts.inputs}), y.to(${parts.targets})`, 'to_device'),
    line('        optimizer.zero_grad()', 'zero_grad'),
    line('        output = model(x)', parts.forwardAnchor ?? 'forward'),
    ...(parts.inForward ?? []),
    line('        loss = loss_fn(output, y)', 'loss'),
    line('        loss.backward()', 'backward'),
    ...(parts.inBackward ?? []),
    line('        optimizer.step()', 'step'),
    line('        print(loss.item())'),
  ];
}

const FIRST = "'cuda:0'";

function single(config: Config): CodeLine[] {
  return [
    ...imports(config),
    ...seedAndData(config),
    ...sequential('model = ', config.model.layers, `.to(${FIRST})`),
    ...training(config),
    loader(config),
    ...loop(config, { inputs: FIRST, targets: FIRST }),
  ];
}

function dataParallel(config: Config): CodeLine[] {
  const devices = Array.from({ length: config.worldSize }, (_, i) => i).join(', ');
  return [
    ...imports(config),
    ...seedAndData(config),
    ...sequential('model = ', config.model.layers, `.to(${FIRST})`),
    line(`model = nn.DataParallel(model, device_ids=[${devices}])`),
    ...training(config),
    loader(config),
    ...loop(config, {
      inputs: FIRST,
      targets: FIRST,
      inForward: [
        line('        #   scatter: a chunk of x to each device', 'scatter'),
        line('        #   replicate: the parameters to each device', 'replicate'),
        line('        #   parallel_apply: each replica on its chunk', 'parallel_apply'),
        line('        #   gather: the outputs on cuda:0', 'gather'),
      ],
      inBackward: [line('        #   gradients summed to cuda:0', 'reduce')],
    }),
  ];
}

function ddp(config: Config): CodeLine[] {
  const { worldSize, shuffle, dropLast } = config;
  const { bucketCapMb, samplerSeed, algorithm, overlap } = config.ddp;
  const cap = bucketCapMb === undefined ? '' : `, bucket_cap_mb=${bucketCapMb}`;
  const sampler = ['dataset', ...(shuffle ? [] : ['shuffle=False']), ...keyword('seed', samplerSeed, 0)];
  if (dropLast) sampler.push('drop_last=True');
  const how = `${algorithm === 'naive' ? ' naively' : ''} ${overlap ? 'while backward runs' : 'after backward: overlap is off'}`;
  return [
    line(`# torchrun --nproc_per_node=${worldSize} train.py`),
    ...imports(
      config,
      'from torch.utils.data.distributed import DistributedSampler',
      'from torch.nn.parallel import DistributedDataParallel',
      "torch.distributed.init_process_group('nccl')",
      'rank = torch.distributed.get_rank()',
    ),
    ...seedAndData(config),
    ...sequential('model = ', config.model.layers, '.to(rank)'),
    line(`model = DistributedDataParallel(model, device_ids=[rank]${cap})`, 'broadcast'),
    ...training(config),
    line(`sampler = DistributedSampler(${sampler.join(', ')})`),
    line(`loader = DataLoader(dataset, batch_size=${Math.floor(config.batchSize / worldSize)}, sampler=sampler)`),
    ...loop(config, {
      inputs: 'rank',
      targets: 'rank',
      epochStart: [line('    sampler.set_epoch(epoch)', 'set_epoch')],
      inBackward: [line(`        #   buckets all-reduced${how}`, 'allreduce')],
    }),
  ];
}

function modelParallel(config: Config, layersOfDevice: readonly (readonly number[])[]): CodeLine[] {
  const layers = (indices: readonly number[]) => indices.flatMap((i) => config.model.layers[i] ?? []);
  const last = layersOfDevice.length - 1;
  return [
    ...imports(config),
    line('class Model(nn.Module):'),
    line('    def __init__(self):'),
    line('        super().__init__()'),
    ...layersOfDevice.flatMap((indices, d) =>
      sequential(`        self.part${d} = `, layers(indices), `.to('cuda:${d}')`),
    ),
    line('    def forward(self, x):'),
    line('        for d, part in enumerate(self.children()):'),
    line("            x = x.to(f'cuda:{d}')", 'send_activation'),
    line('            x = part(x)', 'forward'),
    line('        return x'),
    ...seedAndData(config),
    line('model = Model()'),
    ...training(config),
    loader(config),
    ...loop(config, {
      inputs: FIRST,
      targets: `'cuda:${last}'`,
      forwardAnchor: 'none',
      inBackward: [line('        #   gradients of activations sent back', 'send_gradient')],
    }),
  ];
}

/** `layersOfDevice`: the layers (indices into the model) that each device holds; model parallel places them by it. */
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
