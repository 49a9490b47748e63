/**
 * The table of pictures: for each kernel its picture, one file per picture. Fetched with the first traced step
 * (kept-picture.ts). The stage itself draws the remaining kernels, which DRAWN_BY_STAGE lists: products of matrices as
 * a line (product-spec), copies and collectives as chunks (chunk-scene).
 */
import type { RoomInput } from '../room-input';
import { activation } from './activation';
import { attention } from './attention';
import { bucket } from './bucket';
import { classLoss } from './class-loss';
import { clip } from './clip';
import { convolution } from './convolution';
import type { OperatorDrawing } from './drawn';
import { elementLoss } from './element-loss';
import { embedding } from './embedding';
import { magnitudes } from './magnitudes';
import { moves } from './moves';
import { norm } from './norm';
import { type OperationAndReads, operationOf } from './operation';
import type { OperatorPicture } from './operator-picture';
import { parallelLoss } from './parallel-loss';
import { pooling } from './pooling';
import { scaler } from './scaler';
import { shards } from './shards';
import { Sketch } from './sketch';
import { softmax } from './softmax';
import { sum } from './sum';
import { update } from './update';

export const OPERATOR_PICTURE_LIST: readonly OperatorPicture[] = [
  elementLoss,
  classLoss,
  parallelLoss,
  norm,
  convolution,
  pooling,
  attention,
  embedding,
  activation,
  sum,
  softmax,
  moves,
  update,
  clip,
  bucket,
  shards,
  magnitudes,
  scaler,
];

/** The kernels that the stage draws without a picture, and how it draws each. */
export const DRAWN_BY_STAGE: ReadonlyMap<string, 'line of matrices' | 'chunks'> = new Map([
  ...(
    [
      'ops/linear',
      'ops/linear-grad-input',
      'ops/linear-grad-params',
      'ops/matmul',
      'fused/linear-backward',
      'fused/linear-backward-params',
    ] as const
  ).map((name) => [name, 'line of matrices'] as const),
  ...(
    [
      'ops/copy',
      'comm/fill',
      'halves/encode',
      'halves/decode',
      'power-sgd/product',
      'power-sgd/orthogonalize',
      'power-sgd/error-in',
      'power-sgd/error-out',
    ] as const
  ).map((name) => [name, 'chunks'] as const),
]);

const BY_KERNEL: ReadonlyMap<string, OperatorPicture> = new Map(
  OPERATOR_PICTURE_LIST.flatMap((picture) => picture.operators.map((name) => [name, picture] as const)),
);

export const pictureOf = (kernel: string): OperatorPicture | undefined =>
  BY_KERNEL.get(kernel) ??
  OPERATOR_PICTURE_LIST.find(({ othersBelow }) => othersBelow !== undefined && kernel.startsWith(othersBelow));

export interface Pictures {
  draw(
    input: RoomInput,
    at: Parameters<typeof operationOf>[1],
  ): { readonly drawing: OperatorDrawing | undefined; readonly read: OperationAndReads['read'] };
}

export const PICTURES: Pictures = {
  draw(input, at) {
    const made = operationOf(input, at);
    const picture = made && pictureOf(made.operation.event.name);
    if (!made || !picture) return { drawing: undefined, read: [] };
    const sketch = new Sketch(input, at.event);
    picture.draw(made.operation, sketch);
    return { drawing: sketch.drawing, read: made.read };
  },
};
