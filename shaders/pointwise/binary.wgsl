// y = f(a, b) over n elements, for operands of one shape, or for b that repeats over the leading rows of a (a bias, a
// position embedding) with a multiple of four elements; REPEATS says so, `period` its length. FUNCTION: torch.add, sub,
// mul, div, maximum; 5 is dropout by a given mask, a b p with p = 1 / (1 - probability). One invocation takes four
// neighbours. All other broadcasting: pointwise/broadcast.
override FUNCTION: u32 = 0u;
override REPEATS: u32 = 0u;

struct Params {
  n: u32,
  period: u32,
  p: f32,
  a_stride: u32,
  b_stride: u32,
  y_stride: u32,
}

@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
@group(1) @binding(0) var<uniform> params: Params;

// By their bits, NaN before anything else: a comparison with it may be folded away.
fn larger(v: vec4f, w: vec4f) -> vec4f {
  let v_nan = (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
  let w_nan = (bitcast<vec4u>(w) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u);
  return select(select(select(w, v, v > w), w, w_nan), v, v_nan);
}

fn f(v: vec4f, w: vec4f) -> vec4f {
  switch FUNCTION {
    case 0u: { return v + w; }
    case 1u: { return v - w; }
    case 2u: { return v * w; }
    case 3u: { return v / w; }
    case 4u: { return larger(v, w); }
    default: { return v * (w * params.p); }
  }
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i * 4u >= params.n) { return; }
  var j = i;
  if (REPEATS == 1u) { j = i % (params.period / 4u); }
  y[id.z * params.y_stride / 4u + i] = f(a[id.z * params.a_stride / 4u + i], b[id.z * params.b_stride / 4u + j]);
}
