/**
 * Stores of measured tunings: the interface, a store in memory, and a store in the browser's Cache API, which pages and
 * workers share. A tuning that cannot be read is measured again; nothing else depends on the stores.
 */
import { type KernelTuning, PRODUCT_KERNELS } from '../../../graph/kernel-tuning';

export interface TuningStore {
  load(adapter: string): Promise<KernelTuning | undefined>;
  save(adapter: string, tuning: KernelTuning): Promise<void>;
}

export function memoryTuningStore(): TuningStore {
  const kept = new Map<string, KernelTuning>();
  return {
    load: async (adapter) => kept.get(adapter),
    async save(adapter, tuning) {
      kept.set(adapter, tuning);
    },
  };
}

/** Increase the number when the kernels or the measurements change. */
const CACHE = 'lockstep-kernel-tuning-4';
const urlOf = (adapter: string) => `/kernel-tuning/${encodeURIComponent(adapter)}`;

/** Undefined without a Cache API: under Node, and on insecure pages. */
export function browserTuningStore(
  storage: CacheStorage | undefined = typeof caches === 'undefined' ? undefined : caches,
): TuningStore | undefined {
  if (!storage) return undefined;
  return {
    async load(adapter) {
      try {
        const found = await (await storage.open(CACHE)).match(urlOf(adapter));
        return found && parseTuning(await found.json());
      } catch {
        return undefined;
      }
    },
    async save(adapter, tuning) {
      try {
        await (await storage.open(CACHE)).put(urlOf(adapter), new Response(JSON.stringify(tuning)));
      } catch {
        // Fails in private windows and on full disks: the tuning is measured again next time.
      }
    },
  };
}

/** Entries written by another version, or missing, are ignored. */
export function parseTuning(value: unknown): KernelTuning | undefined {
  if (typeof value !== 'object' || value === null || !('matmul' in value)) return undefined;
  const { matmul: times } = value;
  if (typeof times !== 'object' || times === null) return undefined;
  const entries = Object.entries(times);
  const whole = PRODUCT_KERNELS.every((kernel) => {
    const time: unknown = entries.find(([name]) => name === kernel)?.[1];
    return typeof time === 'number' && Number.isFinite(time) && time > 0;
  });
  const { workgroups, largeTiles, subgroups }: Partial<Record<string, unknown>> = { ...value };
  if (!whole || typeof workgroups !== 'boolean' || typeof largeTiles !== 'boolean' || typeof subgroups !== 'boolean')
    return undefined;
  return { matmul: Object.fromEntries(entries) as KernelTuning['matmul'], workgroups, largeTiles, subgroups };
}
