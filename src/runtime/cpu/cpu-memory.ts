/** The buffers of one device as typed arrays, placed exactly as planned by the memory planner, region by region. */
import { at, must } from '../../base/invariant';
import type { BufferSpec, Lane, Program } from '../../program/instruction';
import type { DevicePlan } from '../../program/memory-planner';
import { filled } from '../../program/stored-tensor';
import { type ProgramKey, programKey } from '../../protocol/step-kind';
import { elements, type HostArray } from '../../tensor/shape';

export interface CpuMemory {
  /** Bytes allocated. */
  readonly bytes: number;
  /** The array of a buffer, a view of its region. */
  array(key: ProgramKey, buffer: string): HostArray;
  /** A persistent buffer, which all Programs share. */
  persistent(buffer: string): HostArray;
  /** The spec of a persistent buffer. */
  specOf(buffer: string): BufferSpec;
}

/** Allocates a region. */
export type Allocate = (bytes: number) => { readonly buffer: ArrayBuffer; readonly offset: number };

const byItself: Allocate = (bytes) => ({ buffer: new ArrayBuffer(bytes), offset: 0 });

export function createCpuMemory(
  programs: readonly Program[],
  plan: DevicePlan,
  allocate: Allocate = byItself,
): CpuMemory {
  const { device } = plan;
  const regions = plan.regions.map((r) => allocate(r.bytes));
  const views = new Map<ProgramKey, Map<string, HostArray>>();
  const persistent = new Map<string, HostArray>();
  const specs = new Map<string, BufferSpec>();
  const laneOf = (program: Program): Lane | undefined => program.lanes.find((l) => l.device === device);
  for (const program of programs) {
    const places = plan.placements.get(programKey(program.kind));
    const arrays = new Map<string, HostArray>();
    for (const spec of laneOf(program)?.buffers ?? []) {
      const place = must(places?.get(spec.name), spec.name);
      const region = at(regions, place.region);
      const length = elements(spec.shape);
      const array =
        spec.dtype === 'f32'
          ? new Float32Array(region.buffer, region.offset + place.offset, length)
          : new Int32Array(region.buffer, region.offset + place.offset, length);
      arrays.set(spec.name, array);
      if (spec.persistent && !persistent.has(spec.name)) {
        persistent.set(spec.name, array);
        specs.set(spec.name, spec);
        if (spec.fill !== undefined) array.set(filled(spec));
      }
    }
    views.set(programKey(program.kind), arrays);
  }
  return {
    bytes: plan.regions.reduce((sum, region) => sum + region.bytes, 0),
    array: (key, buffer) => must(views.get(key)?.get(buffer), `buffer ${buffer} on cuda:${device}`),
    persistent: (buffer) => must(persistent.get(buffer), `persistent buffer ${buffer} on cuda:${device}`),
    specOf: (buffer) => must(specs.get(buffer), `persistent buffer ${buffer} on cuda:${device}`),
  };
}
