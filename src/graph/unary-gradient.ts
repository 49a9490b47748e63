/**
 * The gradient rule that operators of one tensor share, whose backward kernel takes dy and what PyTorch saves: the
 * input or the output.
 */
import type { GradientContext, ValueId } from './op';

/** Gradient rule of a unary operator whose backward kernel takes (dy, y) or (dy, x). */
export function unaryGradient(op: string, saved: 'input' | 'output') {
  return (c: GradientContext): readonly (ValueId | undefined)[] => {
    const dy = c.outputGrad(0);
    if (dy === undefined || !c.needsGrad(0)) return [undefined];
    return c.emit(op, [dy, saved === 'input' ? c.input(0) : c.output(0)], c.types.attrs, [0]);
  };
}
