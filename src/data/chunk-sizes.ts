/**
 * Sizes of `torch.chunk(n, chunks)` along one dimension, as DataParallel scatters a batch: pieces of ceil(n / chunks),
 * the last one smaller, and fewer pieces than requested if n is used up earlier (5 in 4 gives 2, 2, 1).
 */
export function chunkSizes(n: number, chunks: number): number[] {
  const size = Math.max(1, Math.ceil(n / chunks));
  const sizes: number[] = [];
  for (let rest = n; rest > 0; rest -= size) sizes.push(Math.min(size, rest));
  return sizes;
}
