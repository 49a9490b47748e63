/**
 * ResNet-50 as torchvision builds it (`torchvision.models.resnet50`, pictures of 224 x 224): a stem, sixteen
 * bottlenecks, a linear layer. Every convolution is followed by BatchNorm; ReLU is in place, so that its output is all
 * that is kept of it.
 */
import type { Layer, Model, ModelPart } from './model';

interface Convolution {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  readonly kernel: number;
  /** The side of the output picture. */
  readonly side: number;
  readonly stride?: number;
  readonly relu?: boolean;
}

const BYTES = 2;

/** Convolution, BatchNorm and, unless `relu` is false, ReLU. BatchNorm keeps its input, the next layer the rest. */
function convolution({ name, inputs, outputs, kernel, side, stride = 1, relu = true }: Convolution): Layer {
  const made = outputs * side * side;
  const read = inputs * (side * stride) ** 2;
  return {
    name,
    parameters: [outputs * inputs * kernel * kernel, outputs, outputs],
    macs: made * inputs * kernel * kernel,
    // The convolution reads and writes; BatchNorm reads twice and writes; ReLU reads and writes.
    moved: read + made + 3 * made + (relu ? 2 * made : 0),
    kept: BYTES * (relu ? 2 * made : made),
    kernels: relu ? 3 : 2,
  };
}

interface Stage {
  readonly blocks: number;
  readonly width: number;
  readonly side: number;
}

const STAGES: readonly Stage[] = [
  { blocks: 3, width: 64, side: 56 },
  { blocks: 4, width: 128, side: 28 },
  { blocks: 6, width: 256, side: 14 },
  { blocks: 3, width: 512, side: 7 },
];
const WIDEN = 4;

function bottleneck({ width, side }: Stage, inputs: number, stride: number, name: string): ModelPart {
  const outputs = WIDEN * width;
  const layers = [
    convolution({ name: 'conv1', inputs, outputs: width, kernel: 1, side: side * stride }),
    convolution({ name: 'conv2', inputs: width, outputs: width, kernel: 3, side, stride }),
    convolution({ name: 'conv3', inputs: width, outputs, kernel: 1, side, relu: false }),
    ...(inputs === outputs
      ? []
      : [convolution({ name: 'downsample', inputs, outputs, kernel: 1, side, stride, relu: false })]),
    added(outputs * side * side),
  ];
  return { name, layers, output: outputs * side * side };
}

/** The sum with the block's input, and the ReLU after it. */
const added = (made: number): Layer => ({
  name: 'add',
  parameters: [],
  macs: 0,
  moved: 5 * made,
  kept: BYTES * made,
  kernels: 2,
});

function stem(): ModelPart {
  const pooled = 64 * 56 * 56;
  const pool: Layer = { name: 'maxpool', parameters: [], macs: 0, moved: 5 * pooled, kept: 10 * pooled, kernels: 1 };
  return {
    name: 'stem',
    layers: [convolution({ name: 'conv1', inputs: 3, outputs: 64, kernel: 7, side: 112, stride: 2 }), pool],
    output: pooled,
  };
}

function head(): ModelPart {
  const fc: Layer = {
    name: 'fc',
    parameters: [2048 * 1000, 1000],
    macs: 2048 * 1000,
    moved: 2048 * 49 + 2048 + 3 * 1000,
    kept: BYTES * 2048 + 4 * 1000,
    kernels: 3,
  };
  return { name: 'head', layers: [fc], output: 1000 };
}

function blocks(): readonly ModelPart[] {
  const made: ModelPart[] = [];
  let inputs = 64;
  STAGES.forEach((stage, index) => {
    for (let block = 0; block < stage.blocks; block++) {
      const stride = index > 0 && block === 0 ? 2 : 1;
      made.push(bottleneck(stage, inputs, stride, `layer${index + 1}.${block}`));
      inputs = WIDEN * stage.width;
    }
  });
  return made;
}

const parts: readonly ModelPart[] = [stem(), ...blocks(), head()];

export const RESNET_50: Model = {
  id: 'resnet50',
  label: 'ResNet-50',
  row: 'picture of 224 × 224',
  tokens: 1,
  data: { name: 'ImageNet', rows: 1_281_167 },
  optimizer: 'SGD with momentum',
  states: 1,
  parts,
  batchNorms: parts.flatMap(({ layers }) =>
    layers.flatMap(({ parameters }) => (parameters.length === 3 ? [parameters[1] ?? 0] : [])),
  ),
};
