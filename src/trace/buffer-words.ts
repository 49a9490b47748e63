/**
 * Names a Program's tensors for readers: 'output of layer 3, micro-batch 2' for '3.out@2'. PyTorch's names (parameters,
 * .grad, running statistics, the optimiser's state) stay unchanged; names of our own buffers become words. A test
 * checks that no other name is shown. Pure; called wherever a buffer is named.
 */
import { lookup } from '../base/lookup';
import { HALF_NAMES } from '../protocol/half-names';
import { kernelWords, moduleWords } from './words';

/** Buffers of the whole step. */
const WHOLE: Readonly<Record<string, string>> = {
  x: 'samples',
  y: 'targets',
  batch: 'samples of the whole batch',
  out: 'output of the embedding',
  output: 'outputs of all replicas',
  loss: 'loss',
  scalars: 'learning rate and step count',
  'scaler.scale': 'scale of the loss',
  'scaler.growth_tracker': 'number of steps since the scale changed',
  'scaler.found_inf': 'flag for inf or NaN',
  'scaler.skipped': 'number of skipped steps',
  flat_params: 'parameters as one flat tensor',
  grad_norm: 'total norm of the gradients',
  'grad_norm.own': 'norm of the device’s own gradients',
  grad_norms: 'gradient norms of all devices',
  local_used_map: 'map of the used parameters',
  'num_nonjoined.end': 'number of ranks that still have batches',
  num_nonjoined: 'number of ranks that still have batches',
  barrier: 'token of the barrier',
  requires_sync: 'whether this step synchronises gradients',
  'loss.max.own': 'largest logit of each row among the rank’s classes',
  'loss.max': 'largest logit of each row',
  'loss.exps.own': 'sum of exp(logit − max) over the rank’s classes',
  'loss.exps': 'sums of exp(logit − max) over all classes',
  'loss.logit.own': 'logit of each label, if the rank has that class',
  'loss.logit': 'logit of each label',
  'loss.labels.own': 'labels, counted from the rank’s first class',
  'loss.stats': 'statistics of the loss',
};

/** Further outputs of a layer, by the end of the buffer's name. */
const OF_LAYER: Readonly<Record<string, string>> = {
  out: 'output',
  mean: 'mean',
  invstd: 'inverse standard deviation',
  rstd: 'inverse standard deviation',
  stats: 'own statistics',
  all_stats: 'statistics of all ranks',
  attention: 'attention output',
  lse: 'softmax normaliser',
  middle: 'first residual sum',
  mask: 'dropout mask',
};

/** The name with its micro-batch, or with the age in updates of a parameter server's copy. */
export function bufferWords(name: string): string {
  const { base, number } = parted(name);
  if (number === undefined) return tensorWords(base);
  const said = tensorWords(base);
  if (said !== base || /\.grad$/.test(base)) return `${said}, micro-batch ${number}`;
  return `${base} of ${number} ${number === 1 ? 'update' : 'updates'} ago`;
}

/** The name of a buffer in which a collective works. A layer adds its bias after the sum. */
export const sentWords = (name: string): string => asSent(bufferWords(name.replace(/\.sum(?=$|@)/, '')));

const asSent = (said: string): string => said.replace(/, (kept|sent|received) as halves(?=$|,)/, ' as halves');

/**
 * The tensor of which a buffer is a cast, or the float32 copy that an operator computes with: '0.weight' for
 * '0.weight.bf16~1', '0.weight.grad' for '0.weight.f32.grad'. Other names lose only the number of the buffer's life.
 */
export const castOf = (name: string): string => name.replace(/(?:\.(?:b?f16|f32))?(\.grad)?(@\d+)?(?:~\d+)?$/, '$1$2');

/** The name without the micro-batch, which is shown elsewhere or does not fit. */
export const tensorName = (name: string): string => asSent(tensorWords(parted(name).base));

/** Whether PyTorch has this name, too: a parameter, its .grad, its state, or an older copy of a parameter. */
export function isOfTorch(name: string): boolean {
  const { base } = parted(name);
  return tensorWords(base) === base;
}

/** Drops the number of the buffer's life, '~1': readers see one tensor. */
function parted(given: string): { readonly base: string; readonly number: number | undefined } {
  const name = given.replace(/~\d+$/, '');
  const [, base, number] = /^(.*)@(\d+)$/.exec(name) ?? [];
  return base === undefined ? { base: name, number: undefined } : { base, number: Number(number) };
}

function tensorWords(name: string): string {
  return (
    lookup(WHOLE, name) ??
    unitWords(name) ??
    halfWords(name) ??
    bucketWords(name) ??
    replicaWords(name) ??
    stepWords(name) ??
    scratchWords(name) ??
    gradientWords(name) ??
    layerWords(name) ??
    partWords(name) ??
    name
  );
}

/** Rows of a DataParallel replica on cuda:0: 'outputs of the replica on cuda:1'. */
function replicaWords(name: string): string | undefined {
  const [, grad, device] = /^output(\.grad)?\.(?:from|to)(\d+)$/.exec(name) ?? [];
  return device && `${grad ? 'gradient of the ' : ''}outputs of the replica on cuda:${device}`;
}

/** Buffers that a unit of fully_shard sends and receives: 'gathered parameters of layer 2', 'gradients of the root'. */
function unitWords(name: string): string | undefined {
  const [, unit, what] = /^(.+)\.(gathered|kept|gradients|reduced)\b/.exec(name) ?? [];
  if (unit === undefined) return undefined;
  const noun = what === 'gradients' ? '' : what === 'reduced' ? ' gradients' : ' parameters';
  return `${what}${noun} of ${unit.endsWith('root') ? 'the root' : moduleWords(unit)}`;
}

/** Words for a tensor that is cast for an operator, or kept as halves for backward. */
function halfWords(name: string): string | undefined {
  if (/^(stage\d+\.)?bucket/.test(name)) return undefined;
  const [, packed, way] = /^(.+?)(?:\.(?:halves|sent))?\.(halves|sent|received)$/.exec(name) ?? [];
  if (packed !== undefined) return `${tensorWords(packed)}, ${way === 'halves' ? 'kept' : way} as halves`;
  const [, base, format = '', grad] = /^(.+)\.(bf16|f16|f32)(\.grad)?$/.exec(name) ?? [];
  if (base === undefined) return undefined;
  const type = lookup(HALF_NAMES, format) ?? 'float32';
  return `${grad === undefined ? '' : 'gradient of '}${tensorWords(base)} in ${type}`;
}

function bucketWords(name: string): string | undefined {
  const [, stage, bucket, kind = ''] = /^(?:stage(\d+)\.)?bucket(\d+)(?:\.(.+))?$/.exec(name) ?? [];
  if (bucket === undefined) return undefined;
  const which = stage === undefined ? `bucket ${bucket}` : `bucket ${bucket} of stage ${stage}`;
  const [first = '', second] = kind.split('.');
  const half = lookup(HALF_NAMES, first);
  if (half) return second === undefined ? `${which} in ${half}` : `received part of ${which} in ${half}`;
  switch (first) {
    case '':
      return which;
    case 'p':
    case 'q':
      return `PowerSGD’s ${first.toUpperCase()} of ${which}`;
    case 'error':
      return `PowerSGD’s error of ${which}`;
    case 'uncompressed':
      return `uncompressed part of ${which}`;
    default:
      return `received part of ${which}`;
  }
}

function stepWords(name: string): string | undefined {
  const [, flat] = /^flat\.(parameter|buffer|gradient)s\.\d+$/.exec(name) ?? [];
  if (flat !== undefined) return `${flat}s as one flat tensor`;
  if (/^scalars\.\d+$/.test(name)) return WHOLE['scalars'];
  if (/^grad_norm\b.*\.sums\d+$/.test(name)) return 'partial sums of the gradient norm';
  const [, slot] = /^(.+)\.slot$/.exec(name) ?? [];
  if (slot !== undefined) return `empty place of ${slot} in its bucket`;
  return name.startsWith('loss.grad') ? 'gradient of the loss' : undefined;
}

/** Scratch memory of a kernel: '2.conv/conv2d-grad-params.2', of a layer's, or 'loss/cross-entropy.1'. */
function scratchWords(name: string): string | undefined {
  const [, collective] = /\.(\w+?)\d+\.scratch\d+$/.exec(name) ?? [];
  if (collective !== undefined) return 'receive buffer of a collective';
  const [, module, kernel] = /^(?:(.+)\.)?([\w-]+\/[\w-]+)(?:\.\d+)*$/.exec(name) ?? [];
  if (kernel === undefined) return undefined;
  if (kernel.startsWith('collective/')) return `receive buffer of the ${kernel.slice('collective/'.length)}`;
  return `scratch memory of ${kernelWords(kernel)}${module === undefined ? '' : ` of ${moduleWords(module)}`}`;
}

/** '3.out.grad', '3.weight.grad.micro', 'out.grad.part1'; PyTorch's name for a parameter's gradient is .grad. */
function gradientWords(name: string): string | undefined {
  const [, of = '', part] = /^(.+)\.grad(?:\.(?:part(\d+)|micro))?$/.exec(name) ?? [];
  if (of === '') return undefined;
  const own = tensorWords(of);
  if (part !== undefined) return `part ${part} of the gradient of the ${own}`;
  if (own !== of) return `gradient of the ${own}`;
  return name.endsWith('.micro') ? `${of}.grad of one micro-batch` : undefined;
}

/** Buffers between the whole tensor of a layer and a rank's part of it. */
function partWords(name: string): string | undefined {
  const [, bias] = /^(.+)\.once$/.exec(name) ?? [];
  if (bias !== undefined) return `${tensorWords(bias)}, on the first rank only`;
  const [, of = '', ending = '', module = ''] =
    /^(.+?)\.(addend|piece|sum|used|bias|blocks|padded|for)(?:\.(.+))?$/.exec(name) ?? [];
  if (of === '') return undefined;
  const said = tensorWords(of);
  // torch's parameters may end with the same words.
  if (ending === 'bias' && said === of) return undefined;
  switch (ending) {
    case 'for':
      return /\.(blocks|padded)$/.test(module)
        ? partWords(`${of}.${module.replace(/^.*\./, '')}`)
        : `${said}, input of ${moduleWords(module)}`;
    case 'sum':
      return `${said} without the bias`;
    case 'used':
      return `${said}, put together`;
    case 'bias':
      return `bias of the ${said}`;
    case 'blocks':
      return `pieces of the ${said}`;
    case 'padded':
      return `padded piece of the ${said}`;
    default:
      return `${ending} of the ${said}`;
  }
}

function layerWords(name: string): string | undefined {
  const [, module = '', what = '', again] = /^(.+?)\.(\w+)(\.again(?:\.\d+)?)?$/.exec(name) ?? [];
  const said = lookup(OF_LAYER, what);
  if (said === undefined) return undefined;
  return `${said} of ${moduleWords(module)}${again === undefined ? '' : ', computed again'}`;
}
