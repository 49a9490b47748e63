// Second half of the gradients of a layer norm's weight and bias: the parts of norm/layer-norm-grad-params added up, in
// order. partial [2, parts, columns]; dweight, dbias [columns]. One invocation per column.
struct Params {
  columns: u32,
  parts: u32,
  partial_stride: u32,
  dweight_stride: u32,
  dbias_stride: u32,
}

@group(0) @binding(0) var<storage, read> partial: array<f32>;
@group(0) @binding(1) var<storage, read_write> dweight: array<f32>;
@group(0) @binding(2) var<storage, read_write> dbias: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.y * 2097152u + id.x;
  if (column >= params.columns) { return; }
  let start = id.z * params.partial_stride + column;
  let second = start + params.parts * params.columns;
  var s0 = 0.0;
  var s1 = 0.0;
  for (var i = 0u; i < params.parts; i++) {
    s0 += partial[start + i * params.columns];
    s1 += partial[second + i * params.columns];
  }
  dweight[id.z * params.dweight_stride + column] = s0;
  dbias[id.z * params.dbias_stride + column] = s1;
}
