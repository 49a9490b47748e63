/**
 * Notices about a tensor parallel run before it starts: plan entries that name no module, layers that every rank
 * computes whole, gathers that the plan did not ask for, ranks that draw different masks. Called by axes/cuts and
 * cuts-beside.
 */
import { at, must } from '../../base/invariant';
import type { Unasked } from '../../graph/partition/partitioned';
import { wordsOf } from '../../graph/partition/rule';
import { hasTorchStyle, type ListedModule } from '../../interop/pytorch/tensor';
import { meshSizes } from '../../protocol/mesh-sizes';
import type { Notice } from '../../protocol/notice';
import { pieceOf, pieceShape } from '../../sharding/piece';
import { REPLICATE } from '../../sharding/placement';
import { elements } from '../../tensor/shape';
import { hookNoticesOfParts, ignoredDdpNotices } from '../ddp/around-parts';
import { unevenBatch } from '../even-mesh';
import type { NoticeInput } from '../facets/mode-checks';
import type { ModeInput } from '../mode-input';
import { DDP_OF_GROUPS } from './ddp-of-groups';
import { listedModules } from './listed-modules';
import { cutModel, madePlan } from './plan';

export const tensorNotices = (input: NoticeInput): readonly Notice[] => [
  ...cutNotices(input),
  ...unevenBatch(input, 'replicas'),
  ...hookNoticesOfParts(input.config),
  ...ignoredDdpNotices(input.given, DDP_OF_GROUPS),
];

/** Notices about the plan, for any way of averaging gradients. */
export const cutNotices = (input: NoticeInput): readonly Notice[] => [
  ...planNotices(input),
  ...unaskedNotices(input),
  ...maskNotices(input),
];

function planNotices({ config }: NoticeInput): readonly Notice[] {
  const { plan, unmatched } = madePlan(config);
  const { tp } = meshSizes(config);
  const notices: Notice[] = [];
  if (unmatched.length > 0)
    notices.push({
      level: 'warning',
      id: 'plan-names-no-module',
      text: `tensor.plan has ${unmatched.map((entry) => `"${entry}"`).join(', ')}, and the model has no such ${unmatched.length === 1 ? 'module' : 'modules'}. The layers that you meant stay whole on every rank. PyTorch also continues with a warning.`,
      hint: 'Write the path of a module as in the state_dict: "0" for the weight "0.weight".',
    });
  if (tp > 1 && plan.tensors.size === 0)
    notices.push({
      level: 'warning',
      id: 'nothing-cut',
      text: `No layer is cut: all ${tp} ranks of a tensor group compute the whole model.`,
      hint: 'Give tensor.plan a pair of layers, the first "ColwiseParallel" and the second "RowwiseParallel".',
    });
  return notices;
}

/** Notices about tensors that the run makes whole, or cuts, although the plan does not say so. */
function unaskedNotices({ config, input }: NoticeInput): readonly Notice[] {
  const { gathered, cutToFit } = cutModel({ ...input, config }, 0);
  return [
    ...(gathered.length > 0 ? [gatheredNotice(gathered)] : []),
    ...(cutToFit.length > 0 ? [cutToFitNotice(cutToFit)] : []),
  ];
}

/** A layer is cut by columns, and its reader is whole or cut differently. */
function gatheredNotice(gathered: readonly Unasked[]): Notice {
  const read = [...new Set(gathered.map(readerWords))];
  const onlyLoss = read.length === 1 && read[0] === LOSS;
  const onlyProducts = gathered.every(({ op }) => op === 'ops/linear');
  const consequence = onlyLoss
    ? 'the loss is computed from this part or stops with an error'
    : onlyProducts
      ? 'the run stops with “mat1 and mat2 shapes cannot be multiplied”'
      : 'the run stops, because the shapes do not fit';
  return {
    level: 'warning',
    id: 'gathers-between',
    text: `The plan cuts what ${read.join(', ')} ${read.length === 1 ? 'needs' : 'need'} whole, so this run adds an all-gather before ${read.length === 1 ? 'it' : 'them'}. In PyTorch the layer before passes on only the rank’s part, and ${consequence}, unless that layer has output_layouts=Replicate().`,
    hint: onlyProducts
      ? 'Give the layer behind a ColwiseParallel layer the style "RowwiseParallel": it takes the parts as they are.'
      : `Give the layer before ${read.join(', ')} the output layout "Replicate".`,
  };
}

/** The outputs of two modules are added, and only one of them is cut. */
function cutToFitNotice(cutToFit: readonly Unasked[]): Notice {
  const { placement } = at(cutToFit, 0);
  return {
    level: 'warning',
    id: 'cuts-to-add',
    text: `A residual connection adds a whole tensor and a tensor that the plan has cut by ${wordsOf(placement)}. In this run each rank takes its part of the whole tensor, too. In PyTorch the two tensors have different sizes on a rank, and the run stops with “The size of tensor a must match the size of tensor b”.`,
    hint: 'Let both tensors have the same layout: give the last layer before the sum other output layouts, such as "Replicate".',
  };
}

function maskNotices({ config, input, stage }: NoticeInput): readonly Notice[] {
  if (stage.masks.length === 0 || meshSizes(config).tp === 1) return [];
  const apart = firstMaskApart({ ...input, config }, stage);
  if (apart !== undefined)
    return [
      {
        level: 'warning',
        id: 'tensor-dropout-apart',
        text: `The parts of some layers have different sizes, so ranks of a tensor group draw different amounts of random numbers for dropout. At module "${apart}" each rank then drops other elements of the same activation, and parameters that should be equal differ from rank to rank. The same happens in PyTorch. The ranks then compute different losses: the loss chart draws the loss of the first rank of each group, which a PyTorch script prints on rank 0, and the mean over all ranks.`,
        hint: 'Choose widths that mesh.tp divides, or take the layers with unequal parts out of tensor.plan.',
      },
    ];
  const whole = maskOfWholeInTorch({ ...input, config }, stage);
  if (whole !== undefined)
    return [
      {
        level: 'info',
        id: 'tensor-dropout-whole',
        text: `PyTorch has no style for ${whole.cut.layer.type}, so the exported script computes module "${whole.cut.path}" whole on every rank, and module "${whole.dropout}" draws the mask of the whole activation. In this run each rank draws the mask of its own part, so the losses of the script differ.`,
        hint: `Leave "${whole.cut.path}" out of tensor.plan if the script should train the same run.`,
      },
    ];
  return [
    {
      level: 'info',
      id: 'tensor-dropout',
      text: 'As in PyTorch, each rank draws the dropout masks of its own parts, and all ranks begin with the same seed: the parts of an activation drop elements at the same places.',
      hint: '',
    },
  ];
}

/**
 * The module whose mask is the first that should be equal on all ranks of a tensor group and is not, because the ranks
 * have drawn different amounts of numbers before.
 */
function firstMaskApart(input: ModeInput, { masks, graph }: NoticeInput['stage']): string | undefined {
  const { placements } = cutModel(input, 0);
  const count = meshSizes(input.config).tp;
  const drawn = Array.from({ length: count }, () => 0);
  // Of two steps: the second begins with what the first has drawn.
  for (const { name } of [...masks, ...masks]) {
    const placement = placements.get(name) ?? REPLICATE;
    if (placement.kind !== 'shard' && new Set(drawn).size > 1) return name.replace(/\.?mask$/, '');
    const { type } = must(
      graph.values.find((value) => value.name === name),
      name,
    );
    for (let index = 0; index < count; index++)
      drawn[index] = at(drawn, index) + elements(pieceShape(pieceOf(type.shape, [{ placement, index, count }])));
  }
  return undefined;
}

/** A dropout behind a layer that this run cuts and PyTorch cannot cut. */
function maskOfWholeInTorch(
  input: ModeInput,
  { masks }: NoticeInput['stage'],
): { readonly dropout: string; readonly cut: ListedModule } | undefined {
  const { placements } = cutModel(input, 0);
  const modules = listedModules(input.config);
  for (const { name } of masks) {
    if (placements.get(name)?.kind !== 'shard') continue;
    const dropout = moduleOfMask(name);
    const place = modules.findIndex(({ path }) => path === dropout);
    const cut = modules.findLast(({ style, isCalled }, i) => i < place && style !== undefined && isCalled);
    if (cut && !hasTorchStyle(cut.layer)) return { dropout, cut };
  }
  return undefined;
}

const moduleOfMask = (name: string): string => name.replace(/\.?mask$/, '');

const LOSS = 'the loss';

/** Names the reader that needs a tensor whole. The loss, and a sum between modules, are not modules of the model. */
const readerWords = ({ module, op }: { readonly module: string; readonly op: string }): string => {
  if (module !== '') return `"${module}"`;
  return op.startsWith('loss/') ? LOSS : 'a sum between modules';
};
