/** All workloads, by id. */
import { NETS } from './nets';
import { PRODUCTS } from './products';
import type { Workload } from './workload';

export const WORKLOADS: readonly Workload[] = [...PRODUCTS, ...NETS];

export function workload(id: string): Workload {
  const found = WORKLOADS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no workload ${id}`);
  return found;
}
