/**
 * torch.tensor_split(x, pieces) of a dimension of `count` elements: the lengths of the pieces; the first count mod
 * pieces have one more. (torch.chunk differs: it splits 10 into 3, 3, 3, 1; tensor_split gives 3, 3, 2, 2.)
 */
export const tensorSplit = (count: number, pieces: number): readonly number[] =>
  Array.from({ length: pieces }, (_, m) => Math.floor(count / pieces) + (m < count % pieces ? 1 : 0));
