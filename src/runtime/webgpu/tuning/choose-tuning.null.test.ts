/**
 * Which tuning an adapter gets and where it is kept; on Dawn's null backend, which takes no time to compute nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../base/invariant';
import { PRODUCT_KERNELS, SOFTWARE_TUNING } from '../../../graph/kernel-tuning';
import type { OpDef } from '../../../graph/op';
import { SHADERS } from '../../../graph/shader-sources';
import type { OpenedDevice } from '../device';
import { type NodeGpu, nodeGpu } from '../testing/node-gpu';
import { chooseTuning, tunedOps } from './choose-tuning';
import { browserTuningStore, memoryTuningStore, parseTuning, type TuningStore } from './tuning-store';

let gpu: NodeGpu | undefined;
let opened: OpenedDevice | undefined;

beforeAll(async () => {
  gpu = nodeGpu({ backend: 'null' });
  opened = await gpu.open();
});

afterAll(async () => {
  await gpu?.close();
  gpu = undefined;
});

const asAdapter = (software: boolean): OpenedDevice => {
  const device = must(opened, 'device');
  return { ...device, info: { ...device.info, adapter: 'some GPU', software }, tunings: memoryTuningStore() };
};

function counting(): TuningStore & { readonly saved: string[] } {
  const inner = memoryTuningStore();
  const saved: string[] = [];
  return {
    saved,
    load: inner.load,
    save: (adapter, tuning) => {
      saved.push(adapter);
      return inner.save(adapter, tuning);
    },
  };
}

describe('an adapter', () => {
  it('in software uses its table', async () => {
    const store = counting();
    expect(await chooseTuning(asAdapter(true), SHADERS, store)).toBe(SOFTWARE_TUNING);
    expect(store.saved).toEqual([]);
  });

  it('that is unknown is measured once, and known on the next visit', async () => {
    const store = counting();
    const device = asAdapter(false);
    const first = await chooseTuning(device, SHADERS, store);
    expect(Object.keys(first.matmul).sort()).toEqual([...PRODUCT_KERNELS].sort());
    expect(Math.min(...Object.values(first.matmul))).toBe(1);
    expect(await chooseTuning(device, SHADERS)).toBe(first);
    expect(await chooseTuning(asAdapter(false), SHADERS, store)).toEqual(first);
    expect(store.saved).toEqual(['some GPU']);
    expect(device.takeError()).toBeUndefined();
  });

  it('that is slow keeps its defaults where two seconds were too short, until the next visit', async () => {
    const store = counting();
    const device = asAdapter(false);
    let ms = 0;
    let asked = 0;
    const slow = () => {
      asked++;
      ms += 900;
      return ms;
    };
    const first = await chooseTuning(device, SHADERS, store, slow);
    expect(first.matmul).toEqual({ ...SOFTWARE_TUNING.matmul, 'workgroup/product': 0.5 });
    expect(first).toMatchObject({ workgroups: true, largeTiles: false, subgroups: false });
    expect(store.saved).toEqual([]);
    // When it begins, before three kernels (two run), before subgroups, before storing.
    expect(asked).toBe(6);
    expect(await chooseTuning(device, SHADERS, store)).toBe(first);
    await chooseTuning(asAdapter(false), SHADERS, store);
    expect(store.saved).toEqual(['some GPU']);
  });
});

it('reaches every lowering', () => {
  const seen: unknown[] = [];
  const lower = (_: unknown, tuning: unknown) => {
    seen.push(tuning);
    return [];
  };
  const op = { name: 'x', lower } as unknown as OpDef;
  must(tunedOps(new Map([['x', op]]), SOFTWARE_TUNING).get('x'), 'x').lower({ inputs: [], outputs: [], attrs: {} });
  expect(seen).toEqual([SOFTWARE_TUNING]);
});

describe('what the browser keeps', () => {
  const files = new Map<string, Response>();
  const cache = {
    match: async (url: string) => files.get(url)?.clone(),
    put: async (url: string, response: Response) => {
      files.set(url, response);
    },
  };
  const storage = { open: async () => cache } as unknown as CacheStorage;
  const matmul = { ...SOFTWARE_TUNING.matmul, 'workgroup/product': 1 };
  const tuning = { matmul, workgroups: true, largeTiles: true, subgroups: true };

  it('comes back as it was', async () => {
    const store = must(browserTuningStore(storage), 'store');
    expect(await store.load('a GPU')).toBeUndefined();
    await store.save('a GPU', tuning);
    expect(await store.load('a GPU')).toEqual(tuning);
  });

  it('is measured again where it cannot be kept', async () => {
    const broken = { open: () => Promise.reject(new Error('no storage')) } as unknown as CacheStorage;
    const store = must(browserTuningStore(broken), 'store');
    await store.save('a GPU', tuning);
    expect(await store.load('a GPU')).toBeUndefined();
    expect(browserTuningStore(undefined)).toBeUndefined();
  });

  it('must be whole', () => {
    expect(parseTuning(tuning)).toEqual(tuning);
    for (const wrong of [null, 3, {}, { matmul: null }, { matmul: { 'matmul/rows': 1 } }])
      expect(parseTuning(wrong)).toBeUndefined();
    expect(parseTuning({ ...tuning, matmul: { ...tuning.matmul, 'matmul/rows': 0 } })).toBeUndefined();
    for (const name of ['workgroups', 'largeTiles', 'subgroups'])
      expect(parseTuning({ ...tuning, [name]: undefined }), name).toBeUndefined();
  });
});
