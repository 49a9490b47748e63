// out = softmax(scale q k^T) v over the keys, causal or not: torch.nn.functional.scaled_dot_product_attention, fused,
// memory linear in sequence length. Element (b, h, t, e) of a tensor is at offset + b batch + h head + t row + e,
// so that q, k, v may be the thirds of one packed tensor; lse [batch, heads, queries] keeps the log-sum-exp of the
// scores for the gradient. One invocation takes 4 queries and goes over the keys 16 at a time: a tile of scores in
// registers (a mat4x4f is 4 queries by 4 keys), its softmax relative to the largest score so far (online softmax, as in
// FlashAttention), then the tile times v goes into the rows of out, which shrink whenever the largest score grows. No
// barriers.
const LOWEST = -3.0e38; // stands for minus infinity

struct Params {
  blocks: u32, // of 4 queries, of all heads and batch rows
  queries: u32,
  keys: u32,
  head_dim: u32,
  heads: u32,
  causal: u32,
  scale: f32,
  q_offset: u32, q_batch: u32, q_head: u32, q_row: u32,
  k_offset: u32, k_batch: u32, k_head: u32, k_row: u32,
  v_offset: u32, v_batch: u32, v_head: u32, v_row: u32,
  out_offset: u32, out_batch: u32, out_head: u32, out_row: u32,
  q_stride: u32, k_stride: u32, v_stride: u32, out_stride: u32,
  lse_stride: u32,
}

@group(0) @binding(0) var<storage, read> q: array<f32>;
@group(0) @binding(1) var<storage, read> k: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
@group(0) @binding(4) var<storage, read_write> lse: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

fn k4(at: vec4u) -> vec4f { return vec4f(k[at.x], k[at.y], k[at.z], k[at.w]); }
fn v4(at: vec4u) -> vec4f { return vec4f(v[at.x], v[at.y], v[at.z], v[at.w]); }
fn outer(a: vec4f, b: vec4f) -> mat4x4f { return mat4x4f(a.x * b, a.y * b, a.z * b, a.w * b); }
fn largest(s: vec4f) -> f32 { return max(max(s.x, s.y), max(s.z, s.w)); }
fn rows_max(s: mat4x4f) -> vec4f { return vec4f(largest(s[0]), largest(s[1]), largest(s[2]), largest(s[3])); }
// comparisons may be folded
fn is_nan(v: vec4f) -> vec4<bool> { return (bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u); }

/// Scaled scores of four queries and four keys; those beyond a query's reach become LOWEST.
fn masked(s: mat4x4f, reach: vec4u, keys: vec4u) -> mat4x4f {
  let low = vec4f(LOWEST);
  return mat4x4f(
    select(low, s[0] * params.scale, keys <= vec4u(reach.x)), select(low, s[1] * params.scale, keys <= vec4u(reach.y)),
    select(low, s[2] * params.scale, keys <= vec4u(reach.z)), select(low, s[3] * params.scale, keys <= vec4u(reach.w)));
}

fn weight(s: vec4f, m: f32) -> vec4f { return select(exp(s - m), s, is_nan(s)); } // exp may swallow NaN
fn weights(s: mat4x4f, m: vec4f) -> mat4x4f {
  return mat4x4f(weight(s[0], m.x), weight(s[1], m.y), weight(s[2], m.z), weight(s[3], m.w));
}

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.blocks) { return; }
  let per_head = (params.queries + 3u) / 4u;
  let bh = i / per_head;
  let b = bh / params.heads;
  let h = bh % params.heads;
  let four = vec4u(0u, 1u, 2u, 3u);
  let k_start = id.z * params.k_stride + params.k_offset + b * params.k_batch + h * params.k_head;
  let v_start = id.z * params.v_stride + params.v_offset + b * params.v_batch + h * params.v_head;
  // Beyond the edge a block repeats the last query and writes the same numbers twice.
  let row = min((i % per_head) * 4u + four, vec4u(params.queries - 1u));
  let q_row = id.z * params.q_stride + params.q_offset + b * params.q_batch + h * params.q_head + row * params.q_row;
  let out_row = id.z * params.out_stride + params.out_offset + b * params.out_batch + h * params.out_head + row
    * params.out_row;
  let last_key = vec4u(params.keys - 1u);
  let reach = select(last_key, min(row, last_key), params.causal == 1u);
  var m = vec4f(LOWEST); // largest score so far
  var l = vec4f(); // sum of the weights so far
  for (var key = 0u; key <= reach.w; key += 16u) {
    let j0 = min(key + four, last_key); let j1 = min(key + four + 4u, last_key);
    let j2 = min(key + four + 8u, last_key); let j3 = min(key + four + 12u, last_key);
    let k0 = k_start + j0 * params.k_row; let k1 = k_start + j1 * params.k_row; let k2 = k_start + j2 * params.k_row;
    let k3 = k_start + j3 * params.k_row;
    var s0 = mat4x4f(); var s1 = mat4x4f(); var s2 = mat4x4f(); var s3 = mat4x4f();
    for (var e = 0u; e < params.head_dim; e++) {
      let a = vec4f(q[q_row.x + e], q[q_row.y + e], q[q_row.z + e], q[q_row.w + e]);
      s0 += outer(a, k4(k0 + e)); s1 += outer(a, k4(k1 + e));
      s2 += outer(a, k4(k2 + e)); s3 += outer(a, k4(k3 + e));
    }
    s0 = masked(s0, reach, key + four); s1 = masked(s1, reach, key + four + 4u);
    s2 = masked(s2, reach, key + four + 8u); s3 = masked(s3, reach, key + four + 12u);
    let grown = max(m, max(max(rows_max(s0), rows_max(s1)), max(rows_max(s2), rows_max(s3))));
    let shrink = exp(m - grown);
    m = grown;
    s0 = weights(s0, m); s1 = weights(s1, m); s2 = weights(s2, m); s3 = weights(s3, m);
    l = l * shrink + vec4f(1.0) * (s0 + s1 + s2 + s3);
    let finish = select(vec4f(1.0), 1.0 / l, key + 16u > reach.w);
    let v0 = v_start + j0 * params.v_row; let v1 = v_start + j1 * params.v_row; let v2 = v_start + j2 * params.v_row;
    let v3 = v_start + j3 * params.v_row;
    for (var e = 0u; e < params.head_dim; e++) {
      let at = out_row + e;
      var o = vec4f();
      if (key > 0u) { o = vec4f(out[at.x], out[at.y], out[at.z], out[at.w]) * shrink; }
      o = (o + v4(v0 + e) * s0 + v4(v1 + e) * s1 + v4(v2 + e) * s2 + v4(v3 + e) * s3) * finish;
      out[at.x] = o.x; out[at.y] = o.y; out[at.z] = o.z; out[at.w] = o.w;
    }
  }
  let lse_row = id.z * params.lse_stride + bh * params.queries + row;
  let value = m + select(log(l), l, is_nan(l));
  lse[lse_row.x] = value.x; lse[lse_row.y] = value.y; lse[lse_row.z] = value.z; lse[lse_row.w] = value.w;
}
