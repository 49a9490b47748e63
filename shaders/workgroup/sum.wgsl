// The sum of ops/sum for GPUs with fast workgroup memory (torch.sum, torch.norm, the gradient of a bias): y[o, c] = sum
// over k of x[start + o plane + k step + c], divided by `divisor`, for as long as k step < plane; y [outer, columns].
// Why: one invocation that adds a thousand numbers waits for each of them. A workgroup takes WIDTH neighbouring
// outputs; 256 / WIDTH lanes add every so many-th number of an output, four at a time, and a tree adds up the lanes.
// The order depends on the shape alone. x is only read; it is declared writable because both tensors may lie in one
// buffer.
override SQUARE: u32 = 0u;
override ROOT: u32 = 0u;
override WIDTH: u32 = 8u;

struct Params {
  outer: u32,
  plane: u32,
  columns: u32,
  step: u32,
  start: u32,
  divisor: f32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

alias Sum = f32;
var<workgroup> sums: array<f32, 256>;

// The sum over each `lanes` neighbours, or over every `step`-th of them, in one order (helpers/lane-sum).
fn lane_sum(lane: u32, lanes: u32, step: u32, own: Sum) -> Sum {
  workgroupBarrier();
  sums[lane] = own;
  for (var half = lanes / 2u; half >= step; half /= 2u) {
    workgroupBarrier();
    if (lane % lanes < half) { sums[lane] += sums[lane + half]; }
  }
  workgroupBarrier();
  return sums[lane - lane % lanes + lane % step];
}

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = (group.y * 32768u + group.x) * WIDTH + lane % WIDTH;
  let inside = i < params.outer * params.columns;
  let row = group.z * params.x_stride + params.start + i / params.columns * params.plane + i % params.columns;
  let end = select(0u, row - i % params.columns + params.plane, inside);
  let step = 256u / WIDTH * params.step;
  var j = row + lane / WIDTH * params.step;
  var four = vec4f();
  for (; j + 3u * step < end; j += 4u * step) {
    let v = vec4f(x[j], x[j + step], x[j + 2u * step], x[j + 3u * step]);
    if (SQUARE == 1u) { four += v * v; } else { four += v; }
  }
  for (; j < end; j += step) {
    let v = x[j];
    if (SQUARE == 1u) { four.x += v * v; } else { four.x += v; }
  }
  let all = lane_sum(lane, 256u, WIDTH, four.x + four.y + four.z + four.w);
  if (lane >= WIDTH || !inside) { return; }
  let sum = all / params.divisor;
  y[group.z * params.y_stride + i] = select(sum, sqrt(sum), ROOT == 1u);
}
