/**
 * Elementwise sums and other arithmetic of two tensors: two operands and the result, element above element. Examples
 * are a residual sum, and dropout, whose second operand is the mask, with dropped elements crossed out.
 */
import { lookup } from '../../../base/lookup';
import { kernelWords } from '../../../trace/words';
import type { Rect } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import { flow } from './flow';
import { blockOf } from './flow-blocks';
import type { OperatorPicture } from './operator-picture';
import type { Sketch } from './sketch';

const SIGNS: Readonly<Record<string, string>> = {
  add: '+',
  'add-grad': '+',
  sub: '−',
  mul: '×',
  'mul-grad': '×',
  dropout: '×',
  div: '÷',
  maximum: 'max',
};

export const sum: OperatorPicture = {
  name: 'sum',
  operators: [
    'ops/add',
    'ops/add-grad',
    'ops/sub',
    'ops/mul',
    'ops/mul-grad',
    'ops/div',
    'ops/maximum',
    'ops/dropout',
    'optim/accumulate-grad',
    'halves/add',
  ],
  shows:
    'the two operands and the result, element by element; for dropout the mask, with the dropped elements crossed out',
  draw(operation, sketch) {
    const { event, reads, writes, area, layer } = operation;
    const [result] = writes;
    const operands = reads.filter(({ buffer }, i) => reads.findIndex((r) => r.buffer === buffer) === i).slice(0, 2);
    const [first] = operands;
    if (!result || !first) return;
    const word = event.name.slice(event.name.indexOf('/') + 1);
    const masked = operands.find(isMask);
    const residual =
      word === 'add' && event.phase === 'forward' && operands.every(({ category }) => category === 'activation');
    const nameOf = (operand: DrawnOperand): string => {
      if (operand === masked) return 'mask';
      if (event.phase === 'backward') return operand.buffer.endsWith('.grad') ? 'δ' : operand.name;
      if (residual) return operand === first ? 'shortcut' : 'layers';
      return operand.name;
    };
    const blocksOf = (crop: number) =>
      operands.map((operand) => {
        const block = blockOf(sketch, operand, nameOf(operand), crop);
        if (operand !== masked) return block;
        return {
          ...block,
          draw(rect: Rect) {
            block.draw(rect);
            crosses(sketch, operand, rect, block);
          },
        };
      });
    const name = residual ? 'sum' : event.phase === 'backward' ? 'δ, their sum' : result.name;
    const made = (crop: number) => {
      const block = blockOf(sketch, result, name, crop);
      return masked ? { ...block, texts: ['what is left', 'output'] } : block;
    };
    const sign = lookup(SIGNS, word) ?? ',';
    const signs = operands.length > 1 ? [sign, '='] : ['→'];
    flow(sketch, area, (crop) => [...blocksOf(crop), made(crop)], signs);
    const p = layer?.type === 'Dropout' ? `, each kept value divided by ${1 - layer.p}` : '';
    sketch.say(
      `${kernelWords(event.name)}: ${operands.map(({ name }) => name).join(` ${sign} `)} = ${result.name}${p}`,
    );
  },
};

/** Whether the values are a mask: zeros and one other number. */
function isMask({ values, category, buffer }: DrawnOperand): boolean {
  if (/mask/.test(buffer)) return true;
  if (!values || category !== 'data') return false;
  const kinds = new Set(values);
  return kinds.size <= 2 && kinds.has(0);
}

const CROSSED = 5;

/** Draws crosses over the zeros of the mask. */
function crosses(
  sketch: Sketch,
  { values, shape }: DrawnOperand,
  rect: Rect,
  { rows, columns }: { rows: number; columns: number },
): void {
  const stride = shape.at(-1) ?? 1;
  const [w, h] = [rect.width / columns, rect.height / rows];
  if (!values || Math.min(w, h) < CROSSED || shape.length > 3) return;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      if (values[r * stride + c] !== 0) continue;
      const [x, y, i] = [rect.x + c * w, rect.y + r * h, 0.28];
      sketch.line(
        [
          { x: x + i * w, y: y + i * h },
          { x: x + (1 - i) * w, y: y + (1 - i) * h },
        ],
        'soft',
        { alpha: 0.8 },
      );
      sketch.line(
        [
          { x: x + (1 - i) * w, y: y + i * h },
          { x: x + i * w, y: y + (1 - i) * h },
        ],
        'soft',
        { alpha: 0.8 },
      );
    }
}
