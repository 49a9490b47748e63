// The gradients of attention/attention, one launch each, with the scores computed again: p = e^(scale q k^T - lse), ds
// = p (dout v^T - delta) scale; mode 0: dq = ds k, rows are queries; mode 1: dk = ds^T q and mode 2: dv = p^T dout,
// rows are keys. In general result = weights y, the weights made of row_a col_a^T (the scores) and row_b col_b^T (dout
// v^T, not in mode 2). Tensors are placed as in attention/attention; lse and delta (sums of dout out) [batch, heads,
// queries]. One invocation takes 4 rows and goes over the columns 16 at a time: tiles in registers, then the weights
// times y go into the rows of the result. No barriers and no atomics: every sum has one order.
struct Params {
  blocks: u32, // of 4 rows, of all heads and batch rows
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

fn ra4(at: vec4u) -> vec4f { return vec4f(row_a[at.x], row_a[at.y], row_a[at.z], row_a[at.w]); }
fn ca4(at: vec4u) -> vec4f { return vec4f(col_a[at.x], col_a[at.y], col_a[at.z], col_a[at.w]); }
fn rb4(at: vec4u) -> vec4f { return vec4f(row_b[at.x], row_b[at.y], row_b[at.z], row_b[at.w]); }
fn cb4(at: vec4u) -> vec4f { return vec4f(col_b[at.x], col_b[at.y], col_b[at.z], col_b[at.w]); }
fn y4(at: vec4u) -> vec4f { return vec4f(y[at.x], y[at.y], y[at.z], y[at.w]); }
fn lse4(at: vec4u) -> vec4f { return vec4f(lse[at.x], lse[at.y], lse[at.z], lse[at.w]); }
fn delta4(at: vec4u) -> vec4f { return vec4f(delta[at.x], delta[at.y], delta[at.z], delta[at.w]); }
fn outer(a: vec4f, b: vec4f) -> mat4x4f { return mat4x4f(a.x * b, a.y * b, a.z * b, a.w * b); }

/// p or ds of one row and four columns; 0 where the key is beyond the query's reach. l and d are lse and delta of the
/// query.
fn weight(s: vec4f, dp: vec4f, l: vec4f, d: vec4f, row: u32, columns: vec4u) -> vec4f {
  let x = s * params.scale - l;
  var p = select(exp(x), x, (bitcast<vec4u>(x) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u)); // exp may swallow NaN
  if (params.mode != 2u) { p *= (dp - d) * params.scale; }
  var reach = columns < vec4u(params.columns);
  if (params.causal == 1u) { reach = reach & select(vec4u(row) <= columns, columns <= vec4u(row), params.mode == 0u); }
  return select(vec4f(), p, reach);
}

fn weights(s: mat4x4f, dp: mat4x4f, l: mat4x4f, d: mat4x4f, row: vec4u, columns: vec4u) -> mat4x4f {
  return mat4x4f(
    weight(s[0], dp[0], l[0], d[0], row.x, columns), weight(s[1], dp[1], l[1], d[1], row.y, columns),
    weight(s[2], dp[2], l[2], d[2], row.z, columns), weight(s[3], dp[3], l[3], d[3], row.w, columns));
}
fn by_row(v: vec4f) -> mat4x4f { return mat4x4f(vec4f(v.x), vec4f(v.y), vec4f(v.z), vec4f(v.w)); }
fn by_column(v: vec4f) -> mat4x4f { return mat4x4f(v, v, v, v); }

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.y * 2097152u + id.x;
  if (i >= params.blocks) { return; }
  let per_head = (params.rows + 3u) / 4u;
  let bh = i / per_head;
  let b = bh / params.heads; let h = bh % params.heads;
  let of_rows = params.mode == 0u; // whose lse and delta are
  let four = vec4u(0u, 1u, 2u, 3u);
  // Beyond the edge a block repeats the last row and writes the same numbers twice.
  let row = min((i % per_head) * 4u + four, vec4u(params.rows - 1u));
  let row_a_at = id.z * params.row_a_stride + params.row_a_offset + b * params.row_a_batch + h * params.row_a_head
    + row * params.row_a_row;
  let row_b_at = id.z * params.row_b_stride + params.row_b_offset + b * params.row_b_batch + h * params.row_b_head
    + row * params.row_b_row;
  let result_at = id.z * params.result_stride + params.result_offset + b * params.result_batch + h * params.result_head
    + row * params.result_row;
  let ca = id.z * params.col_a_stride + params.col_a_offset + b * params.col_a_batch + h * params.col_a_head;
  let cb = id.z * params.col_b_stride + params.col_b_offset + b * params.col_b_batch + h * params.col_b_head;
  let ys = id.z * params.y_stride + params.y_offset + b * params.y_batch + h * params.y_head;
  let lse_start = id.z * params.lse_stride + bh * select(params.columns, params.rows, of_rows);
  let delta_start = id.z * params.delta_stride + bh * select(params.columns, params.rows, of_rows);
  var l0 = mat4x4f(); var l1 = mat4x4f(); var l2 = mat4x4f(); var l3 = mat4x4f();
  var d0 = mat4x4f(); var d1 = mat4x4f(); var d2 = mat4x4f(); var d3 = mat4x4f();
  if (of_rows) {
    l0 = by_row(lse4(lse_start + row)); l1 = l0; l2 = l0; l3 = l0;
    d0 = by_row(delta4(delta_start + row)); d1 = d0; d2 = d0; d3 = d0;
  }
  // A query reaches the keys up to its own, a key is reached by the queries from its own on. At least one tile, if only
  // to write zeros.
  let last = params.columns - 1u;
  let begin = select(0u, min(row.x, last), params.causal == 1u && !of_rows);
  let end = select(last, min(row.w, last), params.causal == 1u && of_rows);
  for (var column = begin; column <= end; column += 16u) {
    let j0 = min(column + four, vec4u(last)); let j1 = min(column + four + 4u, vec4u(last));
    let j2 = min(column + four + 8u, vec4u(last)); let j3 = min(column + four + 12u, vec4u(last));
    let a0 = ca + j0 * params.col_a_row; let a1 = ca + j1 * params.col_a_row; let a2 = ca + j2 * params.col_a_row;
    let a3 = ca + j3 * params.col_a_row;
    var s0 = mat4x4f(); var s1 = mat4x4f(); var s2 = mat4x4f(); var s3 = mat4x4f();
    for (var e = 0u; e < params.head_dim; e++) {
      let a = ra4(row_a_at + e);
      s0 += outer(a, ca4(a0 + e)); s1 += outer(a, ca4(a1 + e)); s2 += outer(a, ca4(a2 + e));
      s3 += outer(a, ca4(a3 + e));
    }
    var p0 = mat4x4f(); var p1 = mat4x4f(); var p2 = mat4x4f(); var p3 = mat4x4f();
    if (params.mode != 2u) {
      let b0 = cb + j0 * params.col_b_row; let b1 = cb + j1 * params.col_b_row; let b2 = cb + j2 * params.col_b_row;
      let b3 = cb + j3 * params.col_b_row;
      for (var e = 0u; e < params.head_dim; e++) {
        let a = rb4(row_b_at + e);
        p0 += outer(a, cb4(b0 + e)); p1 += outer(a, cb4(b1 + e)); p2 += outer(a, cb4(b2 + e));
        p3 += outer(a, cb4(b3 + e));
      }
    }
    if (!of_rows) {
      l0 = by_column(lse4(lse_start + j0)); l1 = by_column(lse4(lse_start + j1));
      l2 = by_column(lse4(lse_start + j2)); l3 = by_column(lse4(lse_start + j3));
      d0 = by_column(delta4(delta_start + j0)); d1 = by_column(delta4(delta_start + j1));
      d2 = by_column(delta4(delta_start + j2)); d3 = by_column(delta4(delta_start + j3));
    }
    s0 = weights(s0, p0, l0, d0, row, column + four); s1 = weights(s1, p1, l1, d1, row, column + four + 4u);
    s2 = weights(s2, p2, l2, d2, row, column + four + 8u); s3 = weights(s3, p3, l3, d3, row, column + four + 12u);
    let y0 = ys + j0 * params.y_row; let y1 = ys + j1 * params.y_row; let y2 = ys + j2 * params.y_row;
    let y3 = ys + j3 * params.y_row;
    for (var e = 0u; e < params.head_dim; e++) {
      let at = result_at + e;
      var o = vec4f();
      if (column > begin) { o = vec4f(result[at.x], result[at.y], result[at.z], result[at.w]); }
      o += y4(y0 + e) * s0 + y4(y1 + e) * s1 + y4(y2 + e) * s2 + y4(y3 + e) * s3;
      result[at.x] = o.x; result[at.y] = o.y; result[at.z] = o.z; result[at.w] = o.w;
    }
  }
}
