/**
 * Where PyTorch stops by a defect of its own, or trains otherwise, as a note in the exported script or a notice says.
 */
import type { Config } from '../../src/protocol/config';
import { batchNorms, hasDropout } from '../../src/protocol/config/layer-kinds';
import { shardsParameters } from '../../src/protocol/mesh-sizes';

interface Run {
  readonly config: Config;
  readonly trainPy: string;
  /** The ids of the notices before and during the run. */
  readonly notices: readonly string[];
}

const hasBatchNorm = ({ model }: Config): boolean => batchNorms(model.layers) > 0;

const DIFFERENCES: readonly (readonly [what: string, (run: Run) => boolean])[] = [
  [
    'static_graph=True fails an internal assert if the first backward pass is inside no_sync()',
    ({ config: { ddp, accumulate } }) =>
      ddp.staticGraph && accumulate > 1 && ddp.noSync !== 'none' && ddp.noSync !== 'backward',
  ],
  [
    'stages inside fully_shard lose the gradients of backward passes in halves',
    ({ config, trainPy }) =>
      config.mode === 'pipeline' && shardsParameters(config) && trainPy.includes('loses the gradients'),
  ],
  [
    'a schedule that counts epochs goes on, in PyTorch, from the rate of the checkpoint: a notice says so',
    ({ config: { scheduler }, notices }) => scheduler?.every === 'epoch' && notices.includes('resume-world'),
  ],
  [
    'join() looks for unused parameters, which a static graph does not do: the sizes of its messages differ',
    ({ config: { mode, ddp } }) => mode === 'ddp' && ddp.join && ddp.staticGraph && ddp.findUnusedParameters,
  ],
  [
    'a layer hands on its part because the plan says so, and PyTorch stops in the layer behind, which needs the whole',
    ({ config: { tensor }, notices }) =>
      notices.includes('gathers-between') && JSON.stringify(tensor.plan).includes('"outputLayouts":"Shard'),
  ],
  [
    'a residual connection adds a whole tensor and a part, whose sizes differ in PyTorch: a notice says so',
    ({ notices }) => notices.includes('cuts-to-add'),
  ],
  [
    'on the CPU nn.DataParallel does not split a batch, whose gradients overflow float16 earlier than those of its parts',
    ({ config: { mode, gradScaler } }) => mode === 'dataParallel' && gradScaler.enabled,
  ],
  [
    'the workers of a resumed script begin with the current weights, not with the older versions that were on their way',
    ({ config: { mode, parameterServer }, notices }) =>
      mode === 'parameterServer' && !parameterServer.synchronous && notices.includes('resumed'),
  ],
  [
    'checkpoints of scripts lack the state of hooks, which begin again: README.md of the exported folder says so',
    ({ config: { ddp }, notices }) => /SGD/.test(ddp.commHook.type) && notices.includes('resumed'),
  ],
  [
    'PyTorch looks losses up by the number of the micro-batch, in a list in the order of forward passes: a notice says so',
    ({ notices }) => notices.includes('losses-out-of-order'),
  ],
  [
    'schedules that halve the backward pass detach the output of a stage in place, and it is a view: a notice says so',
    ({ notices }) => notices.includes('stage-ends-in-view'),
  ],
  [
    'torch cuts no convolution, so its ranks draw the masks of whole activations behind one: a notice says so',
    ({ notices }) => notices.includes('tensor-dropout-whole'),
  ],
  ['bf16_compress_hook needs NCCL', ({ config: { ddp } }) => ddp.commHook.type === 'bf16Compress'],
  [
    'batch norm and dropout see the rows that fill up short micro-batches',
    ({ config, trainPy }) =>
      trainPy.includes('def filled_up') && (hasBatchNorm(config) || hasDropout(config.model.layers)),
  ],
];

/** Why the two are not compared; undefined: they should be the same run. */
export const knownDifference = (run: Run): string | undefined => DIFFERENCES.find(([, holds]) => holds(run))?.[0];
