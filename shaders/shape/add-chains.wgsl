// dx[o, k, i] = sum of dy[o, j, i] over the positions j chained to k, in order: gradient of torch.index_select and,
// with outer 1, of torch.nn.functional.embedding. dx [outer, n, inner], dy [outer, picks, inner], head [n] and next
// [picks] from shape/chain-positions. One invocation per element of dx.
struct Params {
  outer: u32,
  n: u32,
  inner: u32,
  picks: u32,
  dy_stride: u32,
  head_stride: u32,
  next_stride: u32,
  dx_stride: u32,
}

@group(0) @binding(0) var<storage, read> dy: array<f32>;
@group(0) @binding(1) var<storage, read> head: array<i32>;
@group(0) @binding(2) var<storage, read> next: array<i32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let inner = params.inner;
  if (i >= params.outer * params.n * inner) { return; }
  let k = i / inner % params.n;
  let start = id.z * params.dy_stride + i / (params.n * inner) * params.picks * inner + i % inner;
  var sum = 0.0;
  var j = head[id.z * params.head_stride + k];
  while (j >= 0) {
    sum += dy[start + u32(j) * inner];
    j = next[id.z * params.next_stride + u32(j)];
  }
  dx[id.z * params.dx_stride + i] = sum;
}
