// Links the chains that shape/chain-blocks made in each block to one chain per index: head[k] is the first position of
// k, next[j] the one after j. Exists because shape/chain-positions compares every index with every position; the two
// read n * picks / size entries of the tables instead. k = skip gets no chain. heads, tails [blocks, n], head [n], next
// [picks]. One invocation per k, from the last block.
struct Params {
  n: u32,
  blocks: u32,
  skip: u32,
  heads_stride: u32,
  tails_stride: u32,
  head_stride: u32,
  next_stride: u32,
}

@group(0) @binding(0) var<storage, read> heads: array<i32>;
@group(0) @binding(1) var<storage, read> tails: array<i32>;
@group(0) @binding(2) var<storage, read_write> head: array<i32>;
@group(0) @binding(3) var<storage, read_write> next: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let k = id.y * 2097152u + id.x;
  if (k >= params.n) { return; }
  var first = -1;
  for (var block = params.blocks; block > 0u; block--) {
    let slot = (block - 1u) * params.n + k;
    let start = heads[id.z * params.heads_stride + slot];
    if (start >= 0) {
      let last = tails[id.z * params.tails_stride + slot];
      if (first >= 0) { next[id.z * params.next_stride + u32(last)] = first; }
      first = start;
    }
  }
  head[id.z * params.head_stride + k] = select(first, -1, k == params.skip);
}
