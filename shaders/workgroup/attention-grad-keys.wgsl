// Modes 1 and 2 of workgroup/attention-grad at once, where both results lie in one tensor
// (torch.nn.functional.scaled_dot_product_attention): p = e^(scale q k^T - lse), ds = p (dout v^T - delta) scale, dk =
// ds^T q and dv = p^T dout. Bits as there. Why: scores are computed once for both. A workgroup of 256 takes 16 keys; of
// 16 queries at a time q and dout come into workgroup memory, side by side where heads have at most 32 elements, else
// one after the other. An invocation has one score of a tile and up to four elements of dk and of dv in registers.
struct Params {
  blocks: u32, // of 16 keys, of all heads and batch rows
  keys: u32, queries: u32, head_dim: u32, heads: u32,
  causal: u32, scale: f32,
  k_offset: u32, k_batch: u32, k_head: u32, k_row: u32,
  q_offset: u32, q_batch: u32, q_head: u32, q_row: u32,
  v_offset: u32, v_batch: u32, v_head: u32, v_row: u32,
  dout_offset: u32, dout_batch: u32, dout_head: u32, dout_row: u32,
  dk_offset: u32, dk_batch: u32, dk_head: u32, dk_row: u32,
  dv_offset: u32, dv_batch: u32, dv_head: u32, dv_row: u32,
  k_stride: u32, q_stride: u32, v_stride: u32, dout_stride: u32,
  lse_stride: u32, delta_stride: u32, result_stride: u32,
}

@group(0) @binding(0) var<storage, read> k: array<f32>;
@group(0) @binding(1) var<storage, read> q: array<f32>;
@group(0) @binding(2) var<storage, read> v: array<f32>;
@group(0) @binding(3) var<storage, read> dout: array<f32>;
@group(0) @binding(4) var<storage, read> lse: array<f32>;
@group(0) @binding(5) var<storage, read> delta: array<f32>;
@group(0) @binding(6) var<storage, read_write> result: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Rows of 65, or of 33, keep the banks of the memory apart.
var<workgroup> rows_k: array<f32, 1040>;
var<workgroup> rows_v: array<f32, 1040>;
var<workgroup> tile: array<f32, 1056>;
var<workgroup> weights: array<f32, 272>; // 16 x 17
var<workgroup> of_queries: array<vec2f, 16>; // lse and delta of a tile

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(value: f32) -> bool { return (bitcast<u32>(value) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = group.y * 32768u + group.x;
  if (i >= params.blocks) { return; }
  let per_head = (params.keys + 15u) / 16u;
  let bh = i / per_head;
  let b = bh / params.heads;
  let h = bh % params.heads;
  let r = lane / 16u;
  let c = lane % 16u;
  let first = (i % per_head) * 16u;
  let row = min(first + r, params.keys - 1u); // beyond the edge repeated, and not stored
  let last = params.queries - 1u;
  let k_at = group.z * params.k_stride + params.k_offset + b * params.k_batch + h * params.k_head + row * params.k_row;
  let v_at = group.z * params.v_stride + params.v_offset + b * params.v_batch + h * params.v_head + row * params.v_row;
  let q_start = group.z * params.q_stride + params.q_offset + b * params.q_batch + h * params.q_head;
  let d_start = group.z * params.dout_stride + params.dout_offset + b * params.dout_batch + h * params.dout_head;
  let lse_start = group.z * params.lse_stride + bh * params.queries;
  let delta_start = group.z * params.delta_stride + bh * params.queries;
  let narrow = params.head_dim <= 32u;
  let width = select(65u, 33u, narrow);
  let second = select(0u, 528u, narrow); // where dout is in the tile
  for (var e = c; e < params.head_dim; e += 16u) {
    rows_k[r * 65u + e] = k[k_at + e];
    rows_v[r * 65u + e] = v[v_at + e];
  }
  // A key is reached by the queries from its own on. At least one tile, if only to write zeros.
  let begin = select(0u, min(first, last), params.causal == 1u);
  var low_k = vec2f(); // elements c and c + 16 of dk
  var high_k = vec2f(); // c + 32 and c + 48
  var low_v = vec2f();
  var high_v = vec2f();
  for (var column = begin; column <= last; column += 16u) {
    workgroupBarrier(); // the tile before is used up
    let place = min(column + r, last);
    if (lane < 16u) {
      let query = min(column + lane, last);
      of_queries[lane] = vec2f(lse[lse_start + query], delta[delta_start + query]);
    }
    for (var e = c; e < params.head_dim; e += 16u) {
      tile[r * width + e] = q[q_start + place * params.q_row + e];
      if (narrow) { tile[second + r * width + e] = dout[d_start + place * params.dout_row + e]; }
    }
    workgroupBarrier();
    var s = 0.0;
    for (var e = 0u; e < params.head_dim; e++) { s += rows_k[r * 65u + e] * tile[c * width + e]; }
    if (!narrow) {
      workgroupBarrier();
      for (var e = c; e < params.head_dim; e += 16u) {
        tile[r * width + e] = dout[d_start + place * params.dout_row + e];
      }
      workgroupBarrier();
    }
    var dp = 0.0;
    for (var e = 0u; e < params.head_dim; e++) { dp += rows_v[r * 65u + e] * tile[second + c * width + e]; }
    let j = column + c;
    let own = of_queries[c];
    let x = s * params.scale - own.x;
    let p = select(exp(x), x, is_nan(x)); // exp may swallow NaN
    let reached = (params.causal == 0u || row <= j) && j <= last;
    weights[r * 17u + c] = select(0.0, p, reached);
    workgroupBarrier();
    for (var t = 0u; t < 16u; t++) {
      let w = weights[r * 17u + t];
      let at = second + t * width + c;
      low_v += w * vec2f(tile[at], tile[at + 16u]);
      if (params.head_dim > 32u) { high_v += w * vec2f(tile[at + 32u], tile[at + 48u]); }
    }
    workgroupBarrier();
    weights[r * 17u + c] = select(0.0, p * ((dp - own.y) * params.scale), reached);
    if (!narrow) {
      for (var e = c; e < params.head_dim; e += 16u) { tile[r * width + e] = q[q_start + place * params.q_row + e]; }
    }
    workgroupBarrier();
    for (var t = 0u; t < 16u; t++) {
      let w = weights[r * 17u + t];
      let at = t * width + c;
      low_k += w * vec2f(tile[at], tile[at + 16u]);
      if (params.head_dim > 32u) { high_k += w * vec2f(tile[at + 32u], tile[at + 48u]); }
    }
  }
  if (first + r >= params.keys) { return; }
  let start = group.z * params.result_stride;
  let dk_at = start + params.dk_offset + b * params.dk_batch + h * params.dk_head + row * params.dk_row;
  let dv_at = start + params.dv_offset + b * params.dv_batch + h * params.dv_head + row * params.dv_row;
  let dk = vec4f(low_k, high_k);
  let dv = vec4f(low_v, high_v);
  for (var e = 0u; e < 4u && c + e * 16u < params.head_dim; e++) {
    result[dk_at + c + e * 16u] = dk[e];
    result[dv_at + c + e * 16u] = dv[e];
  }
}
