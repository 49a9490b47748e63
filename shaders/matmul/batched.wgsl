// 'ops/matmul-batched' in tiles of 4 x 4, for matrices that hold whole tiles: c[z, i, j] = sum over s, then over k, of
// a[z, s, i, k] b[z, s, k, j], torch.bmm and the batches of torch.matmul. The tiles of all matrices are numbered
// through, columns first, so that neighbours in x have work whatever the shape. Why: 8 loads serve 16 multiply-adds.
// One accumulator per element, s and k in order: the same bits as with one invocation per element.
struct Params {
  m: u32,
  n: u32,
  k: u32,
  a_row: u32,
  a_step: u32,
  b_step: u32,
  b_column: u32,
  batch: u32, // z0 * z1 * z2
  z0: u32,
  a_z0: u32,
  b_z0: u32,
  z1: u32,
  a_z1: u32,
  b_z1: u32,
  z2: u32,
  a_z2: u32,
  b_z2: u32,
  s0: u32,
  a_s0: u32,
  b_s0: u32,
  s1: u32,
  a_s1: u32,
  b_s1: u32,
  a_stride: u32,
  b_stride: u32,
  c_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let tile = id.y * 2097152u + id.x;
  let across = (params.n + 3u) / 4u;
  let down = (params.m + 3u) / 4u;
  let z = tile / (across * down);
  if (z >= params.batch) { return; }
  let row = tile / across % down * 4u;
  let column = tile % across * 4u;
  let z2 = z % params.z2;
  let z1 = (z / params.z2) % params.z1;
  let z0 = z / (params.z2 * params.z1);
  let a_start = id.z * params.a_stride + z0 * params.a_z0 + z1 * params.a_z1 + z2 * params.a_z2;
  let b_start = id.z * params.b_stride + z0 * params.b_z0 + z1 * params.b_z1 + z2 * params.b_z2;
  // Beyond the edge a tile repeats the last row or column and stores nothing.
  let rows = min(vec4u(row, row + 1u, row + 2u, row + 3u), vec4u(params.m - 1u)) * params.a_row;
  let columns = min(vec4u(column, column + 1u, column + 2u, column + 3u), vec4u(params.n - 1u)) * params.b_column;
  var sum0 = vec4f();
  var sum1 = vec4f();
  var sum2 = vec4f();
  var sum3 = vec4f();
  for (var s0 = 0u; s0 < params.s0; s0++) {
    for (var s1 = 0u; s1 < params.s1; s1++) {
      var s = a_start + s0 * params.a_s0 + s1 * params.a_s1;
      var t = b_start + s0 * params.b_s0 + s1 * params.b_s1;
      for (var k = 0u; k < params.k; k++) {
        let w = vec4f(b[t + columns.x], b[t + columns.y], b[t + columns.z], b[t + columns.w]);
        sum0 += a[s + rows.x] * w;
        sum1 += a[s + rows.y] * w;
        sum2 += a[s + rows.z] * w;
        sum3 += a[s + rows.w] * w;
        s += params.a_step;
        t += params.b_step;
      }
    }
  }
  var sums = array<vec4f, 4>(sum0, sum1, sum2, sum3);
  for (var e = 0u; e < 16u && row + e / 4u < params.m; e++) {
    let j = column + e % 4u;
    if (j < params.n) {
      c[id.z * params.c_stride + (z * params.m + row + e / 4u) * params.n + j] = sums[e / 4u][e % 4u];
    }
  }
}
