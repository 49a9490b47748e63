// The sum of ops/sum, four columns per invocation: y[o, c] = sum over k of x[o, k columns + c] while k columns + c <
// plane, divided by `divisor`. x [outer, plane], y [outer, columns], both plane and columns multiples of 4. Exists
// because a vector load costs no more than a scalar one; every column is added in the same order as there.
override SQUARE: u32 = 0u;
override ROOT: u32 = 0u;

struct Params {
  outer: u32,
  plane: u32,
  columns: u32,
  divisor: f32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  let columns = params.columns / 4u;
  if (i >= params.outer * columns) { return; }
  let start = id.z * params.x_stride / 4u + (i / columns) * (params.plane / 4u);
  let end = start + params.plane / 4u;
  var sum = vec4f();
  for (var j = start + i % columns; j < end; j += columns) {
    let v = x[j];
    if (SQUARE == 1u) { sum += v * v; } else { sum += v; }
  }
  sum = sum / params.divisor;
  if (ROOT == 1u) { sum = sqrt(sum); }
  y[id.z * params.y_stride / 4u + i] = sum;
}
