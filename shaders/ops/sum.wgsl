// y[o, c] = sum over k of x[o, k columns + c] while k columns + c < plane, divided by `divisor`: torch.sum, torch.mean
// (divisor n), and with SQUARE and ROOT torch.norm. x [outer, plane], y [outer, columns]. A large sum is a chain of
// these: columns = parts * inner gives partial sums, the next launch adds them up; columns = inner ends the chain. One
// invocation per output, adding in index order.
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

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.outer * params.columns) { return; }
  let start = id.z * params.x_stride + (i / params.columns) * params.plane;
  let end = start + params.plane;
  var sum = 0.0;
  for (var j = start + i % params.columns; j < end; j += params.columns) {
    let v = x[j];
    if (SQUARE == 1u) { sum += v * v; } else { sum += v; }
  }
  sum = sum / params.divisor;
  if (ROOT == 1u) { sum = sqrt(sum); }
  y[id.z * params.y_stride + i] = sum;
}
