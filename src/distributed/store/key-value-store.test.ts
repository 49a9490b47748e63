/** The store in the meaning of c10d's Store, as PyTorch 1.13 answers; and the three ways to meet at one. */
import { describe, expect, test } from 'vitest';
import { Cluster } from '../cluster';
import { clusterAccess } from '../cluster-access';
import { HashStore } from './hash-store';
import { rendezvous } from './rendezvous';

describe('store', () => {
  test('set, get, add, deleteKey, numKeys', async () => {
    const store = new HashStore().client(50);
    await store.set('a', 'x');
    expect(await store.get('a')).toBe('x');
    expect(await store.add('n', 3)).toBe(3);
    expect(await store.add('n', -1)).toBe(2);
    expect(await store.get('n')).toBe('2');
    expect(await store.numKeys()).toBe(2);
    expect([await store.deleteKey('a'), await store.deleteKey('a'), await store.numKeys()]).toEqual([true, false, 1]);
    await store.set('text', 'abc');
    await expect(store.add('text', 1)).rejects.toThrow('no whole number');
  });

  test('compareSet sets a key that has the expected value, and an absent key if no value is expected', async () => {
    const store = new HashStore().client();
    expect(await store.compareSet('a', 'x', 'y')).toBe('x');
    expect(await store.numKeys()).toBe(0);
    expect(await store.compareSet('a', '', 'y')).toBe('y');
    expect(await store.compareSet('a', 'y', 'z')).toBe('z');
    expect(await store.compareSet('a', 'q', 'r')).toBe('z');
  });

  test('get and wait wait for the keys that another client sets, and name the keys that are missing', async () => {
    const served = new HashStore();
    const [a, b] = [served.client(1000), served.client(20)];
    const got = Promise.all([a.get('k'), a.wait(['k', 'l'])]);
    await b.set('l', '1');
    await b.set('k', 'v');
    expect(await got).toEqual(['v', undefined]);
    await expect(b.get('nope')).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('Socket Timeout: waited 20 ms for the key nope'),
    });
    await b.setTimeout(5);
    await expect(b.wait(['k', 'x', 'y'])).rejects.toMatchObject({ details: { missing: ['x', 'y'] } });
    await expect(a.wait(['x'], 5)).rejects.toMatchObject({ code: 'timeout' });
  });

  test('prefixes separate clients; when the server ends, all clients get an error', async () => {
    const served = new HashStore();
    const [a, b] = [served.client(50, 'a/'), served.client(50, 'b/')];
    await a.set('k', '1');
    expect([await a.numKeys(), await b.numKeys()]).toEqual([1, 0]);
    const waiting = expect(b.get('k')).rejects.toThrow('gone');
    served.close('The server is gone.');
    await waiting;
    await expect(a.set('k', '2')).rejects.toThrow('gone');
  });
});

describe('rendezvous', () => {
  const request = { rank: undefined, worldSize: undefined, environment: {}, timeoutMs: 30 };
  const meet = (initMethod: string, cluster = new Cluster(), machine = 'node0', more = {}) =>
    rendezvous({ ...request, initMethod, ...more }, clusterAccess(cluster, machine));

  test('tcp: rank 0 serves, the others connect, whoever comes first', async () => {
    const cluster = new Cluster();
    const late = meet('tcp://node0:23456?rank=1&world_size=2', cluster, 'node1');
    const server = await meet('tcp://node0:23456?rank=0&world_size=2', cluster);
    const client = await late;
    expect(client).toMatchObject({ id: server.id, rank: 1, worldSize: 2 });
    await server.store.set('k', 'v');
    expect(await client.store.get('k')).toBe('v');
    // The port is free again.
    await server.leave();
    await expect(meet('tcp://node0:23456?rank=1&world_size=2', cluster)).rejects.toThrow(
      'timed out after 0.03s while trying to connect to (node0, 23456)',
    );
    await meet('tcp://node0:23456?rank=0&world_size=2', cluster);
  });

  test('localhost is each machine itself', async () => {
    const cluster = new Cluster();
    await meet('tcp://localhost:1000?rank=0&world_size=2', cluster, 'node0');
    await expect(meet('tcp://localhost:1000?rank=1&world_size=2', cluster, 'node1')).rejects.toMatchObject({
      code: 'timeout',
    });
    await meet('tcp://127.0.0.1:1000?rank=1&world_size=2', cluster, 'node0');
    await expect(meet('tcp://node0:1001?rank=0&world_size=2', cluster, 'node1')).rejects.toThrow(
      'Cannot assign requested address',
    );
  });

  test('file: all machines see it; it is deleted with its last user', async () => {
    const cluster = new Cluster();
    const options = { worldSize: 2 };
    const a = await meet('file:///mnt/shared/x', cluster, 'node0', { ...options, rank: 0 });
    const b = await meet('file:///mnt/shared/x', cluster, 'node1', { ...options, rank: 1 });
    expect(b.id).toBe(a.id);
    await Promise.all([a.leave(), b.leave()]);
    expect((await meet('file:///mnt/shared/x', cluster, 'node0', { ...options, rank: 0 })).id).not.toBe(a.id);
  });

  test.each([
    ['foo://x', 'No rendezvous handler for foo://'],
    ['tcp://127.0.0.1:2345?rank=0', 'using tcp:// rendezvous: world size parameter missing'],
    ['tcp://127.0.0.1:2345?world_size=1', 'using tcp:// rendezvous: rank parameter missing'],
    ['tcp://127.0.0.1?rank=0&world_size=1', 'using tcp:// rendezvous: port number missing'],
    ['file://', 'using file:// rendezvous: path missing'],
    ['file:///x', 'using file:// rendezvous: rank parameter missing'],
  ])('%s: %s', async (initMethod, message) => {
    await expect(meet(initMethod)).rejects.toThrow(message);
  });

  test('RANK must be a number', async () => {
    const environment = { RANK: 'two', WORLD_SIZE: '1', MASTER_ADDR: 'localhost', MASTER_PORT: '1' };
    await expect(meet('env://', new Cluster(), 'node0', { environment })).rejects.toThrow(
      "invalid literal for int() with base 10: 'two'",
    );
  });
});
