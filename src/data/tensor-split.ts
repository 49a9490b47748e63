/**
 * torch.tensor_split(x, pieces) of a dimension of `count` elements: the lengths of the pieces, of which the first
 * count mod pieces have one more. (torch.chunk cuts otherwise: 10 in 4 is 3, 3, 3, 1 there, and 3, 3, 2, 2 here.)
 */
export const tensorSplit = (count: number, pieces: number): readonly number[] =>
  Array.from({ length: pieces }, (_, m) => Math.floor(count / pieces) + (m < count % pieces ? 1 : 0));
