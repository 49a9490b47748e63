// dx[o, k, i] = sum of dy[o, j, i] over the positions j chained to k, in order: gradient of torch.index_select and,
// with outer 1, of torch.nn.functional.embedding, as in shape/add-chains. Writes the rows that have a chain; all others
// were filled with zeros. dx [outer, n, inner], dy [outer, picks, inner], owner and next [picks] from
// shape/chain-picks. One invocation per element of dy; those of a chain's first position add the chain.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  picks: u32,
  dy_stride: u32,
  owner_stride: u32,
  next_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> owner: array<i32>;
@group(0) @binding(2) var<storage, read> next: array<i32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let inner = params.inner;
  if (i >= params.outer * params.picks * inner) { return; }
  var j = i32(i / inner % params.picks);
  let k = owner[id.z * params.owner_stride + u32(j)];
  if (k < 0) { return; }
  let o = i / (params.picks * inner);
  let start = id.z * params.dy_stride + o * params.picks * inner + i % inner;
  var sum = 0.0;
  while (j >= 0) {
    sum += dy[start + u32(j) * inner];
    j = next[id.z * params.next_stride + u32(j)];
  }
  dx[id.z * params.dx_stride + (o * params.n + u32(k)) * inner + i % inner] = sum;
}
