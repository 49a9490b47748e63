/**
 * The preview of the data, which the page shows before a step has run: points, images, sequences, names. Called by
 * session-info.ts.
 */

import { at } from '../../base/invariant';
import type { DatasetPreview } from '../../protocol/session-info';
import type { Blueprint } from '../../training/blueprint';
import { imageReader } from './images';
import { asksTokens, tokensOf } from './tokens';

const POINTS = 1000;
const IMAGES = 40;
const SEQUENCES = 8;

export function preview({ dataset, table }: Blueprint): DatasetPreview {
  const byIndex = table.targetType === 'i32';
  const hasClasses = dataset.task === 'classification' && dataset.classes > 0;
  return {
    task: dataset.task,
    rows: dataset.rows,
    testRows: dataset.test.length,
    inputs: table.inputWidth,
    outputs: dataset.classes > 0 && byIndex ? dataset.classes : table.targetWidth,
    kind: dataset.kind,
    inputShape: dataset.inputShape,
    classNames: !hasClasses || dataset.kind === 'tokens' ? [] : (dataset.classNames ?? numbers(dataset.classes)),
    vocabulary: dataset.vocabulary ?? [],
    images: images({ dataset, table }),
    sequences: sequences({ dataset, table }),
    points: points({ dataset, table }),
  };
}

type Data = Pick<Blueprint, 'dataset' | 'table'>;

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

function points({ dataset, table }: Data): DatasetPreview['points'] {
  if (table.inputWidth !== 2 || table.inputType !== 'f32') return [];
  const point = (row: number, isTest: 0 | 1): DatasetPreview['points'][number] => [
    table.inputs[2 * row] ?? 0,
    table.inputs[2 * row + 1] ?? 0,
    table.targets[row * table.targetWidth] ?? 0,
    isTest,
  ];
  const test = [...dataset.test.subarray(0, POINTS / 2)];
  const train = [...dataset.train.subarray(0, POINTS - test.length)];
  return [...train.map((row) => point(row, 0)), ...test.map((row) => point(row, 1))];
}

function images({ dataset, table }: Data): DatasetPreview['images'] {
  const image = imageReader(dataset);
  if (!image) return [];
  return Array.from(dataset.train.subarray(0, IMAGES), (row) => image(row, at(table.targets, row * table.targetWidth)));
}

function sequences({ dataset, table }: Data): DatasetPreview['sequences'] {
  if (!asksTokens(dataset)) return [];
  const { decode } = tokensOf(dataset);
  return Array.from(dataset.train.subarray(0, SEQUENCES), (row) => ({
    input: decode(table.inputs.subarray(row * table.inputWidth, (row + 1) * table.inputWidth)),
    target: decode(table.targets.subarray(row * table.targetWidth, (row + 1) * table.targetWidth)),
  }));
}
