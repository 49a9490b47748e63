// Chains the positions of each index within blocks of `size` positions: heads[b, k] is the first position of k in block
// b (-1 as filled before: none), tails[b, k] the last, next[j] the following one of the same index in j's block or -1.
// Indices count from `base`. First step of shape/chain-link. index, next [picks], heads, tails [blocks, n]. One
// invocation per block, from its end; a block's table is its own, so nothing is left to chance.
struct Params {
  n: u32,
  picks: u32,
  size: u32,
  base: u32,
  index_stride: u32,
  heads_stride: u32,
  tails_stride: u32,
  next_stride: u32,
}

@group(0) @binding(0) var<storage, read> index: array<i32>;
@group(0) @binding(1) var<storage, read_write> heads: array<i32>;
@group(0) @binding(2) var<storage, read_write> tails: array<i32>;
@group(0) @binding(3) var<storage, read_write> next: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let block = id.y * 2097152u + id.x;
  let start = block * params.size;
  if (start >= params.picks) { return; }
  let end = min(start + params.size, params.picks);
  for (var j = end; j > start; j--) {
    let k = index[id.z * params.index_stride + j - 1u] - i32(params.base);
    var after = -1;
    if (k >= 0 && k < i32(params.n)) {
      let slot = block * params.n + u32(k);
      after = heads[id.z * params.heads_stride + slot];
      heads[id.z * params.heads_stride + slot] = i32(j) - 1;
      if (after < 0) { tails[id.z * params.tails_stride + slot] = i32(j) - 1; }
    }
    next[id.z * params.next_stride + j - 1u] = after;
  }
}
