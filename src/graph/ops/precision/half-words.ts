/** The layout of halves in int32 words: two per word, element 2i in the low bits of word i. */
import { elements, type Shape } from '../../../tensor/shape';

/** The shape of the words of a tensor of halves. */
export const halfWords = (shape: Shape): Shape => [Math.ceil(elements(shape) / 2)];
