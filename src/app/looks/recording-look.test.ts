import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { lookAt } from './recording-look';

const look = (content: string | Uint8Array<ArrayBuffer>, name = 'file') =>
  lookAt({ path: name, file: new File([content], name) });

test.each([
  ['a trace of torch.profiler', '{"schemaVersion": 1, "deviceProperties": [], "distributedInfo": {"backend": "nccl"}'],
  ['a Chrome trace', '{"displayTimeUnit": "ms", "traceEvents": []}'],
  ['a bare list of events', '[\n {"name": "a", "ph": "X", "ts": 1}]'],
  ['a flight recorder', '{"comm_lib_version":"","entries":[]}'],
  ['a table of nccl-tests', '# nThread 1 nGpus 8 minBytes 8\n#\n# size count type redop root time algbw busbw'],
])('%s is a recording, packed, too', async (_, text) => {
  expect(await look(text)).toBe('recording');
  expect(await look(new Uint8Array(gzipSync(text)))).toBe('recording');
});

test('a pickle is recognised, because the flight recorder writes pickles', async () => {
  expect(await look(Uint8Array.of(0x80, 4, 0x95, 0, 0))).toBe('recording');
  expect(await look(Uint8Array.of(0x80, 77, 0x95, 0, 0))).toBeUndefined();
});

test('a report and data are not recordings', async () => {
  expect(await look('{"lockstep": "0.1.0", "losses": [1, 2]}')).toBe('report');
  expect(await look('x,y,label\n1,2,0\n')).toBeUndefined();
  expect(await look('A text about losses and ph: nothing more.')).toBeUndefined();
  expect(await look(new Uint8Array(gzipSync(Uint8Array.of(0, 0, 8, 3, 0, 0, 0, 9))))).toBeUndefined();
  expect(await look(Uint8Array.of(0x1f, 0x8b, 1, 2, 3))).toBeUndefined();
  expect(await look('')).toBeUndefined();
});
