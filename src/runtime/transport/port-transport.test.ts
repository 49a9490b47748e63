/** Messages between devices: in order by tag, whoever is first; nothing waits for ever. */
import { expect, test } from 'vitest';
import { at } from '../../base/invariant';
import { createPortTransport } from './port-transport';
import { createDirectMesh, createPortMesh } from './rank-links';

const data = (...values: number[]) => Float32Array.from(values);

test.each([
  ['MessagePorts', createPortMesh],
  ['links within the thread', createDirectMesh],
] as const)(
  '%s: messages of a tag arrive in the order in which they were sent, also before anyone asks; tags and peers do not mix',
  async (_, meshOf) => {
    const mesh = meshOf(3);
    const [zero, one, two] = [0, 1, 2].map((device) => createPortTransport(device, at(mesh, device)));
    const early = two?.recv(0, 2, 'a');
    zero?.send(0, 2, 'a', data(1));
    zero?.send(0, 2, 'b', data(2));
    one?.send(1, 2, 'a', data(3));
    zero?.send(0, 2, 'a', data(4));
    expect(await early).toEqual(data(1));
    expect(await two?.recv(1, 2, 'a')).toEqual(data(3));
    expect(await two?.recv(0, 2, 'a')).toEqual(data(4));
    expect(await two?.recv(0, 2, 'b')).toEqual(data(2));
    for (const transport of [zero, one, two]) transport?.close('done');
  },
);

test('after close() nothing is sent or received over a link within the thread', async () => {
  const [zero, one] = createDirectMesh(2).map((own, device) => createPortTransport(device, own));
  zero?.close('done');
  zero?.send(0, 1, 'a', data(1));
  expect(one?.take?.(0, 1, 'a')).toBeUndefined();
  one?.send(1, 0, 'a', data(1));
  await expect(zero?.recv(1, 0, 'a')).rejects.toMatchObject({ message: 'done' });
});

test('close() rejects pending and later receives', async () => {
  const [own] = createPortMesh(2);
  const transport = createPortTransport(0, own ?? new Map());
  const waiting = [transport.recv(1, 0, 'a'), transport.recv(1, 0, 'a'), transport.recv(1, 0, 'b')];
  transport.close('the process group was destroyed');
  for (const each of [...waiting, transport.recv(1, 0, 'c')])
    await expect(each).rejects.toMatchObject({ code: 'rank-failed', message: 'the process group was destroyed' });
});
