// The sum of shape/add-picks, four neighbours of a slice per invocation: dx[o, k, i] = sum of dy[o, j, i] over the
// positions j chained to k, inner a multiple of 4. Exists because following a chain then costs a quarter.
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

@group(0) @binding(0) var<storage, read> dy: array<vec4f>;
@group(0) @binding(1) var<storage, read> owner: array<i32>;
@group(0) @binding(2) var<storage, read> next: array<i32>;
@group(0) @binding(3) var<storage, read_write> dx: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let inner = params.inner / 4u;
  if (i >= params.outer * params.picks * inner) { return; }
  var j = i32(i / inner % params.picks);
  let k = owner[id.z * params.owner_stride + u32(j)];
  if (k < 0) { return; }
  let o = i / (params.picks * inner);
  let start = id.z * params.dy_stride / 4u + o * params.picks * inner + i % inner;
  var sum = vec4f();
  while (j >= 0) {
    sum += dy[start + u32(j) * inner];
    j = next[id.z * params.next_stride + u32(j)];
  }
  dx[id.z * params.dx_stride / 4u + (o * params.n + u32(k)) * inner + i % inner] = sum;
}
