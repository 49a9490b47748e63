// The strided copy of shape/copy, four neighbours per invocation: y[to + sum c_d to_d] = x[from + sum c_d from_d], with
// all strides and starts counted in vectors and the last dimension contiguous on both sides. Exists because its
// divisions and loads then serve four elements.
override RANK: u32 = 6u;

struct Params {
  n: u32,
  size_1: u32,
  size_2: u32,
  size_3: u32,
  size_4: u32,
  size_5: u32,
  from_start: u32,
  from_0: u32,
  from_1: u32,
  from_2: u32,
  from_3: u32,
  from_4: u32,
  from_5: u32,
  to_start: u32,
  to_0: u32,
  to_1: u32,
  to_2: u32,
  to_3: u32,
  to_4: u32,
  to_5: u32,
  x_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> x: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// Where the coordinates counted by `i` lie on both sides.
fn places(i: u32) -> vec2u {
  var rest = i;
  var place = vec2u(params.from_start, params.to_start);
  if (RANK > 5u) {
    place += (rest % params.size_5) * vec2u(params.from_5, params.to_5);
    rest /= params.size_5;
  }
  if (RANK > 4u) {
    place += (rest % params.size_4) * vec2u(params.from_4, params.to_4);
    rest /= params.size_4;
  }
  if (RANK > 3u) {
    place += (rest % params.size_3) * vec2u(params.from_3, params.to_3);
    rest /= params.size_3;
  }
  if (RANK > 2u) {
    place += (rest % params.size_2) * vec2u(params.from_2, params.to_2);
    rest /= params.size_2;
  }
  if (RANK > 1u) {
    place += (rest % params.size_1) * vec2u(params.from_1, params.to_1);
    rest /= params.size_1;
  }
  return place + rest * vec2u(params.from_0, params.to_0);
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.n) { return; }
  let place = places(i);
  y[id.z * params.y_stride / 4u + place.y] = x[id.z * params.x_stride / 4u + place.x];
}
