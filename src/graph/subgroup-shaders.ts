/**
 * Functions of kernels in shaders/workgroup, written with WGSL's subgroups, by path. A module of its own, because only
 * the worker of an adapter that has subgroups loads it: see runtime/webgpu/subgroups.
 */
export const SUBGROUP_FUNCTIONS = import.meta.glob<string>('../../shaders/helpers/subgroups/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});
