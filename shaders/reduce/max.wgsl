// y[o, c] = max over k of x[o, k columns + c] while k columns + c < plane, and aux: with TIES 0 the k of the first
// maximum (torch.max over a dim), with TIES 1 how many elements equal it (torch.max over all, whose gradient they
// share). x [outer, plane], y and aux [outer, columns]. WEIGHTED: x holds partial maxima, and weights their counts. NaN
// is larger than everything. One invocation per output.
override TIES: u32 = 0u;
override WEIGHTED: u32 = 0u;

struct Params {
  outer: u32,
  plane: u32,
  columns: u32,
  x_stride: u32,
  weights_stride: u32,
  y_stride: u32,
  aux_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> weights: array<i32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> aux: array<i32>;
@group(1) @binding(0) var<uniform> params: Params;

// By its bits: comparisons with NaN may be folded away.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.outer * params.columns) { return; }
  let first = (i / params.columns) * params.plane + i % params.columns;
  let end = (i / params.columns + 1u) * params.plane;
  let x_start = id.z * params.x_stride;
  let weights_start = id.z * params.weights_stride;
  var best = x[x_start + first];
  var chosen = 0;
  var count = 0;
  var k = 0;
  for (var j = first; j < end; j += params.columns) {
    let v = x[x_start + j];
    var weight = 1;
    if (WEIGHTED == 1u) { weight = weights[weights_start + j]; }
    let v_nan = is_nan(v);
    let best_nan = is_nan(best);
    if ((v > best && !v_nan && !best_nan) || (v_nan && !best_nan)) {
      best = v;
      chosen = k;
      count = weight;
    } else if (v_nan || (v == best && !best_nan)) {
      count += weight;
    }
    k++;
  }
  y[id.z * params.y_stride + i] = best;
  aux[id.z * params.aux_stride + i] = select(chosen, count, TIES == 1u);
}
