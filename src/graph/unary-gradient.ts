/**
 * The shared gradient rule of operators with one tensor whose backward kernel takes dy and the tensor that PyTorch
 * saves, input or output.
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
