// GradScaler.update: after a step with an inf or a NaN the scale is multiplied by backoff; after `interval` steps in a
// row without one by growth. found_inf begins anew. One invocation. torch: amp_update_scale_ in AmpKernels.cu.

struct Params {
  growth: f32,
  backoff: f32,
  interval: f32,
  scale_stride: u32,
  growth_tracker_stride: u32,
  found_inf_stride: u32,
  skipped_stride: u32,
}

@group(0) @binding(0) var<storage, read_write> scale: array<f32>;
@group(0) @binding(1) var<storage, read_write> growth_tracker: array<f32>;
@group(0) @binding(2) var<storage, read_write> found_inf: array<f32>;
@group(0) @binding(3) var<storage, read_write> skipped: array<f32>;
@group(1) @binding(0) var<uniform> params: Params;

@compute @workgroup_size(64, 1)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x > 0u) { return; }
  let s = id.z * params.scale_stride;
  let t = id.z * params.growth_tracker_stride;
  let f = id.z * params.found_inf_stride;
  let successful = growth_tracker[t] + 1.0;
  if (found_inf[f] != 0.0) {
    scale[s] *= params.backoff;
    growth_tracker[t] = 0.0;
    skipped[id.z * params.skipped_stride] += 1.0;
  } else if (successful == params.interval) {
    let grown = scale[s] * params.growth;
    if ((bitcast<u32>(grown) & 0x7f800000u) != 0x7f800000u) { scale[s] = grown; }
    growth_tracker[t] = 0.0;
  } else {
    growth_tracker[t] = successful;
  }
  found_inf[f] = 0.0;
}
