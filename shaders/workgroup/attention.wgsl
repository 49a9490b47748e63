// attention/attention for GPUs with fast workgroup memory and heads of at most 64: out = softmax(scale q k^T) v over
// the keys, causal or not (torch.nn.functional.scaled_dot_product_attention, fused). Tensors are placed as there; lse
// [batch, heads, queries] keeps the log-sum-exp of the scores. Why: a workgroup of 256 takes 16 queries and reads each
// key and value once for all of them. Tiles of 32 keys, then of their values, are in workgroup memory; every query has
// 16 invocations, each with two scores of a tile and up to four elements of out in registers, relative to the largest
// score so far (online softmax, as in FlashAttention).
const LOWEST = -3.0e38; // stands for minus infinity

struct Params {
  blocks: u32, // of 16 queries, of all heads and batch rows
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

// Rows of 65 keep the banks of the memory apart.
var<workgroup> rows: array<f32, 1040>;
var<workgroup> tile: array<f32, 2080>;
var<workgroup> scores: array<f32, 528>; // 16 x 33

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

fn weight(s: f32, m: f32) -> f32 { return select(exp(s - m), s, is_nan(s)); } // exp may swallow NaN

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = group.y * 32768u + group.x;
  if (i >= params.blocks) { return; }
  let per_head = (params.queries + 15u) / 16u;
  let bh = i / per_head;
  let b = bh / params.heads;
  let h = bh % params.heads;
  let y = lane / 16u;
  let x = lane % 16u;
  let first = (i % per_head) * 16u;
  let last_key = params.keys - 1u;
  let row = min(first + y, params.queries - 1u); // beyond the edge repeated, and not stored
  let reach = select(last_key, min(row, last_key), params.causal == 1u);
  let end = select(last_key, min(min(first + 15u, params.queries - 1u), last_key), params.causal == 1u);
  let q_at = group.z * params.q_stride + params.q_offset + b * params.q_batch + h * params.q_head + row * params.q_row;
  let k_start = group.z * params.k_stride + params.k_offset + b * params.k_batch + h * params.k_head;
  let v_start = group.z * params.v_stride + params.v_offset + b * params.v_batch + h * params.v_head;
  for (var e = x; e < params.head_dim; e += 16u) { rows[y * 65u + e] = q[q_at + e]; }
  var m = LOWEST; // largest score so far
  var l = 0.0; // sum of the weights so far
  var low = vec2f(); // elements x and x + 16 of out
  var high = vec2f(); // x + 32 and x + 48
  for (var key = 0u; key <= end; key += 32u) {
    workgroupBarrier(); // the tile before is used up
    let j0 = min(key + y, last_key);
    let j1 = min(key + y + 16u, last_key);
    for (var e = x; e < params.head_dim; e += 16u) {
      tile[y * 65u + e] = k[k_start + j0 * params.k_row + e];
      tile[(y + 16u) * 65u + e] = k[k_start + j1 * params.k_row + e];
    }
    workgroupBarrier();
    var s = vec2f();
    for (var e = 0u; e < params.head_dim; e++) {
      s += rows[y * 65u + e] * vec2f(tile[x * 65u + e], tile[(x + 16u) * 65u + e]);
    }
    s = select(vec2f(LOWEST), s * params.scale, vec2u(key + x, key + x + 16u) <= vec2u(reach));
    scores[y * 33u + x] = s.x;
    scores[y * 33u + x + 16u] = s.y;
    workgroupBarrier();
    for (var e = x; e < params.head_dim; e += 16u) {
      tile[y * 65u + e] = v[v_start + j0 * params.v_row + e];
      tile[(y + 16u) * 65u + e] = v[v_start + j1 * params.v_row + e];
    }
    var grown = m;
    for (var j = 0u; j < 32u; j++) { grown = max(grown, scores[y * 33u + j]); }
    let shrink = exp(m - grown);
    m = grown;
    workgroupBarrier();
    scores[y * 33u + x] = weight(s.x, m);
    scores[y * 33u + x + 16u] = weight(s.y, m);
    workgroupBarrier();
    l *= shrink;
    low *= shrink;
    high *= shrink;
    for (var j = 0u; j < 32u; j++) {
      let p = scores[y * 33u + j];
      l += p;
      low += p * vec2f(tile[j * 65u + x], tile[j * 65u + x + 16u]);
      if (params.head_dim > 32u) { high += p * vec2f(tile[j * 65u + x + 32u], tile[j * 65u + x + 48u]); }
    }
  }
  if (first + y >= params.queries) { return; }
  let at = group.z * params.out_stride + params.out_offset + b * params.out_batch + h * params.out_head
    + row * params.out_row;
  let o = vec4f(low, high) / l;
  for (var e = 0u; e < 4u && x + e * 16u < params.head_dim; e++) { out[at + x + e * 16u] = o[e]; }
  if (x == 0u) { lse[group.z * params.lse_stride + bh * params.queries + row] = m + select(log(l), l, is_nan(l)); }
}
