// Chains the positions of each index in rising order: head[k] is the first j with index[j] = base + k, next[j] the one
// after it, -1 the end. index, next [picks], head [n]; k = skip gets no chain. First half of the gradient of
// torch.index_select and embedding. One invocation per k, which reads all of index (every invocation the same element,
// so that a cache line serves all) and writes its own chain alone.
struct Params {
  n: u32,
  picks: u32,
  skip: u32,
  base: u32,
  index_stride: u32,
  head_stride: u32,
  next_stride: u32,
}

@group(0) @binding(0) var<storage, read> index: array<i32>;
@group(0) @binding(1) var<storage, read_write> head: array<i32>;
@group(0) @binding(2) var<storage, read_write> next: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let k = id.y * 2097152u + id.x;
  if (k >= params.n) { return; }
  let next_start = id.z * params.next_stride;
  var first = -1;
  var last = -1;
  for (var j = 0u; j < params.picks; j++) {
    let own = index[id.z * params.index_stride + j] - i32(params.base);
    // Of an index outside the table, which is in no chain.
    if (k == 0u && (own < 0 || own >= i32(params.n))) { next[next_start + j] = -1; }
    if (own == i32(k)) {
      if (last < 0) { first = i32(j); } else { next[next_start + u32(last)] = i32(j); }
      last = i32(j);
      next[next_start + j] = -1;
    }
  }
  head[id.z * params.head_stride + k] = select(first, -1, k == params.skip);
}
