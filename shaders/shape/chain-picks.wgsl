// Chains the positions of each index in rising order, as shape/chain-positions does, from the positions alone: next[j]
// is the first position after j with the same index, or -1; owner[j] is the row k of a position that no earlier one has
// (the first of its chain), or -1. For large tables: reads at most picks * picks indices, and nothing per row. index,
// owner, next [picks]; indices count from `base`; k = skip gets no chain. One invocation per position, all of which
// read the same index at the same time.
struct Params {
  n: u32,
  picks: u32,
  skip: u32,
  base: u32,
  index_stride: u32,
  owner_stride: u32,
  next_stride: u32,
}

@group(0) @binding(0) var<storage, read> index: array<i32>;
@group(0) @binding(1) var<storage, read_write> owner: array<i32>;
@group(0) @binding(2) var<storage, read_write> next: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let j = id.y * 2097152u + id.x;
  if (j >= params.picks) { return; }
  let start = id.z * params.index_stride;
  let own = index[start + j];
  let k = own - i32(params.base);
  let inside = k >= 0 && k < i32(params.n);
  var first = inside && k != i32(params.skip);
  var after = -1;
  for (var i = 0u; i < params.picks; i++) {
    if (index[start + i] == own) {
      if (i < j) { first = false; }
      if (i > j) {
        after = i32(i);
        break;
      }
    }
  }
  owner[id.z * params.owner_stride + j] = select(-1, k, first);
  next[id.z * params.next_stride + j] = select(-1, after, inside);
}
