// The columns of a matrix [rows, columns] inside a larger buffer become orthonormal, in place: _orthogonalize of
// powerSGD_hook.py. QR = 0, up to two columns: Gram-Schmidt, where a column of zeros becomes NaN as in torch. QR = 1,
// more: Householder reflections as LAPACK's geqr2 and org2r, torch.linalg.qr. One workgroup per matrix; invocation i
// has rows i, i + 64 ... to itself, and sums over rows go through workgroup memory.

override QR: u32 = 0u;

struct Params {
  rows: u32,
  columns: u32,
  at: u32,
  memory_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> memory: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

var<workgroup> parts: array<f32, 64>;
var<workgroup> tau: array<f32, 64>;

fn total(lane: u32, part: f32) -> f32 {
  workgroupBarrier();
  parts[lane] = part;
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < 64u; k++) { sum += parts[k]; }
  return sum;
}

// First row >= least that is this invocation's.
fn first(lane: u32, least: u32) -> u32 { return least + (lane + 64u - least % 64u) % 64u; }

@compute @workgroup_size(64, 1)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.x;
  let start = group.z * params.memory_stride + params.at;
  let n = params.rows;
  let r = params.columns;
  if (QR == 0u) {
    for (var j = 0u; j < r; j++) {
      var squares = 0.0;
      for (var i = lane; i < n; i += 64u) { squares += memory[start + i * r + j] * memory[start + i * r + j]; }
      let norm = sqrt(total(lane, squares));
      for (var i = lane; i < n; i += 64u) { memory[start + i * r + j] /= norm; }
      for (var c = j + 1u; c < r; c++) {
        var dot = 0.0;
        for (var i = lane; i < n; i += 64u) { dot += memory[start + i * r + j] * memory[start + i * r + c]; }
        let along = total(lane, dot);
        for (var i = lane; i < n; i += 64u) { memory[start + i * r + c] -= along * memory[start + i * r + j]; }
      }
    }
    return;
  }
  for (var j = 0u; j < r; j++) {
    var below = 0.0;
    for (var i = first(lane, j + 1u); i < n; i += 64u) {
      below += memory[start + i * r + j] * memory[start + i * r + j];
    }
    let squares = total(lane, below);
    var own = 0.0;
    if (lane == j % 64u) { own = memory[start + j * r + j]; }
    let alpha = total(lane, own);
    let beta = select(1.0, -1.0, alpha >= 0.0) * sqrt(alpha * alpha + squares);
    let reflects = squares > 0.0;
    let factor = select(0.0, (beta - alpha) / beta, reflects);
    let scale = select(0.0, 1.0 / (alpha - beta), reflects);
    if (lane == 0u) { tau[j] = factor; }
    for (var i = first(lane, j + 1u); i < n; i += 64u) { memory[start + i * r + j] *= scale; }
    for (var c = j + 1u; c < r; c++) { reflect(lane, start, j, c, factor); }
  }
  for (var back = 0u; back < r; back++) {
    let j = r - 1u - back;
    workgroupBarrier();
    let factor = tau[j];
    for (var i = lane; i < j; i += 64u) { memory[start + i * r + j] = 0.0; }
    for (var c = j + 1u; c < r; c++) { reflect(lane, start, j, c, factor); }
    for (var i = first(lane, j + 1u); i < n; i += 64u) { memory[start + i * r + j] *= -factor; }
    if (lane == j % 64u) { memory[start + j * r + j] = 1.0 - factor; }
  }
}

// Column c, rows >= j, reflected by the vector (1, column j below row j).
fn reflect(lane: u32, start: u32, j: u32, c: u32, factor: f32) {
  let r = params.columns;
  var dot = 0.0;
  if (lane == j % 64u) { dot = memory[start + j * r + c]; }
  for (var i = first(lane, j + 1u); i < params.rows; i += 64u) {
    dot += memory[start + i * r + j] * memory[start + i * r + c];
  }
  let along = factor * total(lane, dot);
  if (lane == j % 64u) { memory[start + j * r + c] -= along; }
  for (var i = first(lane, j + 1u); i < params.rows; i += 64u) {
    memory[start + i * r + c] -= along * memory[start + i * r + j];
  }
}
