// attention/attention-grad for GPUs with fast workgroup memory and heads of at most 64: the gradients of attention, one
// launch each, with the scores computed again (torch.nn.functional.scaled_dot_product_attention): p = e^(scale q k^T -
// lse), ds = p (dout v^T - delta) scale; mode 0: dq = ds k, rows are queries; mode 1: dk = ds^T q and mode 2: dv = p^T
// dout, rows are keys. In general result = weights y, the weights made of row_a col_a^T (the scores) and row_b col_b^T
// (dout v^T, not in mode 2); in modes 0 and 1 y is col_a. Tensors are placed as in attention/attention. Why: a
// workgroup of 256 takes 16 rows and reads each column once for all of them; tiles of 16 columns are in workgroup
// memory, and an invocation has one weight of a tile and up to four elements of the result in registers.
struct Params {
  blocks: u32, // of 16 rows, of all heads and batch rows
  rows: u32, columns: u32, head_dim: u32, heads: u32,
  causal: u32, mode: u32, scale: f32,
  row_a_offset: u32, row_a_batch: u32, row_a_head: u32, row_a_row: u32,
  col_a_offset: u32, col_a_batch: u32, col_a_head: u32, col_a_row: u32,
  row_b_offset: u32, row_b_batch: u32, row_b_head: u32, row_b_row: u32,
  col_b_offset: u32, col_b_batch: u32, col_b_head: u32, col_b_row: u32,
  y_offset: u32, y_batch: u32, y_head: u32, y_row: u32,
  result_offset: u32, result_batch: u32, result_head: u32, result_row: u32,
  row_a_stride: u32, col_a_stride: u32, row_b_stride: u32, col_b_stride: u32,
  y_stride: u32, lse_stride: u32, delta_stride: u32, result_stride: u32,
}

@group(0) @binding(0) var<storage, read> row_a: array<f32>;
@group(0) @binding(1) var<storage, read> col_a: array<f32>;
@group(0) @binding(2) var<storage, read> row_b: array<f32>;
@group(0) @binding(3) var<storage, read> col_b: array<f32>;
@group(0) @binding(4) var<storage, read> y: array<f32>;
@group(0) @binding(5) var<storage, read> lse: array<f32>;
@group(0) @binding(6) var<storage, read> delta: array<f32>;
@group(0) @binding(7) var<storage, read_write> result: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

// Rows of 65 keep the banks of the memory apart.
var<workgroup> rows_a: array<f32, 1040>;
var<workgroup> rows_b: array<f32, 1040>;
var<workgroup> tile: array<f32, 1040>;
var<workgroup> weights: array<f32, 272>; // 16 x 17
var<workgroup> of_queries: array<vec2f, 16>; // lse and delta, of the rows or of a tile

// By its bits: a driver may turn a comparison into max(), which may swallow NaN.
fn is_nan(v: f32) -> bool { return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u; }

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let i = group.y * 32768u + group.x;
  if (i >= params.blocks) { return; }
  let per_head = (params.rows + 15u) / 16u;
  let bh = i / per_head;
  let b = bh / params.heads;
  let h = bh % params.heads;
  let of_rows = params.mode == 0u; // whose lse and delta are
  let r = lane / 16u;
  let c = lane % 16u;
  let first = (i % per_head) * 16u;
  let row = min(first + r, params.rows - 1u); // beyond the edge repeated, and not stored
  let last = params.columns - 1u;
  let a_at = group.z * params.row_a_stride + params.row_a_offset + b * params.row_a_batch + h * params.row_a_head
    + row * params.row_a_row;
  let b_at = group.z * params.row_b_stride + params.row_b_offset + b * params.row_b_batch + h * params.row_b_head
    + row * params.row_b_row;
  let ca = group.z * params.col_a_stride + params.col_a_offset + b * params.col_a_batch + h * params.col_a_head;
  let cb = group.z * params.col_b_stride + params.col_b_offset + b * params.col_b_batch + h * params.col_b_head;
  let ys = group.z * params.y_stride + params.y_offset + b * params.y_batch + h * params.y_head;
  let lse_start = group.z * params.lse_stride + bh * select(params.columns, params.rows, of_rows);
  let delta_start = group.z * params.delta_stride + bh * select(params.columns, params.rows, of_rows);
  if (of_rows && lane < 16u) {
    let query = min(first + lane, params.rows - 1u);
    of_queries[lane] = vec2f(lse[lse_start + query], delta[delta_start + query]);
  }
  for (var e = c; e < params.head_dim; e += 16u) {
    rows_a[r * 65u + e] = row_a[a_at + e];
    if (params.mode != 2u) { rows_b[r * 65u + e] = row_b[b_at + e]; }
  }
  // A query reaches the keys up to its own, a key is reached by the queries from its own on. At least one tile, if only
  // to write zeros.
  let begin = select(0u, min(first, last), params.causal == 1u && !of_rows);
  let end = select(last, min(min(first + 15u, params.rows - 1u), last), params.causal == 1u && of_rows);
  var low = vec2f(); // elements c and c + 16 of the result
  var high = vec2f(); // c + 32 and c + 48
  for (var column = begin; column <= end; column += 16u) {
    workgroupBarrier(); // the tile before is used up
    let place = min(column + r, last);
    if (!of_rows && lane < 16u) {
      let query = min(column + lane, last);
      of_queries[lane] = vec2f(lse[lse_start + query], 0.0);
      if (params.mode == 1u) { of_queries[lane].y = delta[delta_start + query]; }
    }
    for (var e = c; e < params.head_dim; e += 16u) {
      if (params.mode == 2u) {
        tile[r * 65u + e] = col_a[ca + place * params.col_a_row + e];
      } else {
        tile[r * 65u + e] = col_b[cb + place * params.col_b_row + e];
      }
    }
    workgroupBarrier();
    var s = 0.0;
    var dp = 0.0;
    if (params.mode == 2u) {
      for (var e = 0u; e < params.head_dim; e++) { s += rows_a[r * 65u + e] * tile[c * 65u + e]; }
    } else {
      for (var e = 0u; e < params.head_dim; e++) { dp += rows_b[r * 65u + e] * tile[c * 65u + e]; }
    }
    workgroupBarrier();
    for (var e = c; e < params.head_dim; e += 16u) { tile[r * 65u + e] = y[ys + place * params.y_row + e]; }
    workgroupBarrier();
    let j = column + c;
    let own = of_queries[select(c, r, of_rows)];
    if (params.mode != 2u) {
      for (var e = 0u; e < params.head_dim; e++) { s += rows_a[r * 65u + e] * tile[c * 65u + e]; }
    }
    let x = s * params.scale - own.x;
    var p = select(exp(x), x, is_nan(x)); // exp may swallow NaN
    if (params.mode != 2u) { p *= (dp - own.y) * params.scale; }
    let reached = params.causal == 0u || select(row <= j, j <= row, of_rows);
    weights[r * 17u + c] = select(0.0, p, reached && j <= last);
    workgroupBarrier();
    for (var t = 0u; t < 16u; t++) {
      let w = weights[r * 17u + t];
      low += w * vec2f(tile[t * 65u + c], tile[t * 65u + c + 16u]);
      if (params.head_dim > 32u) { high += w * vec2f(tile[t * 65u + c + 32u], tile[t * 65u + c + 48u]); }
    }
  }
  if (first + r >= params.rows) { return; }
  let at = group.z * params.result_stride + params.result_offset + b * params.result_batch + h * params.result_head
    + row * params.result_row;
  let o = vec4f(low, high);
  for (var e = 0u; e < 4u && c + e * 16u < params.head_dim; e++) { result[at + c + e * 16u] = o[e]; }
}
