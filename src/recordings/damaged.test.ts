import fc from 'fast-check';
import { gzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { importFiles } from './import-files';
import { spanAt } from './spans';
import { fileOf } from './testing/files';
import { ncclTraces } from './testing/nccl-traces';

interface Event {
  readonly ph: 'X';
  readonly name: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Names with all characters that JSON escapes: quotes, backslashes, brackets, other planes. */
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1 }),
  fc.constantFrom('a"b', '\\', '}]', '{"traceEvents": [', '\u2028'),
);
const event: fc.Arbitrary<Event> = fc.record({
  ph: fc.constant('X' as const),
  name,
  cat: fc.constantFrom('cpu_op', 'kernel', 'user_annotation', 'other', ''),
  pid: fc.nat(2),
  tid: fc.nat(2),
  ts: fc.nat(10_000),
  dur: fc.nat(500),
  args: fc.dictionary(fc.string(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), name), { maxKeys: 3 }),
});
const trace = fc.record({
  events: fc.array(event, { maxLength: 30 }),
  isBare: fc.boolean(),
  indent: fc.constantFrom(0, 1, 2),
  before: fc.dictionary(fc.constantFrom('schemaVersion', 'x', 'y', 'otherData'), fc.jsonValue({ maxDepth: 2 })),
  after: fc.dictionary(fc.constantFrom('traceName', 'z'), fc.jsonValue({ maxDepth: 1 })),
});
type Trace = typeof trace extends fc.Arbitrary<infer T> ? T : never;

const textOf = ({ events, isBare, indent, before, after }: Trace): string =>
  JSON.stringify(isBare ? events : { ...before, traceEvents: events, ...after }, null, indent);

async function namesIn(text: string | Uint8Array, pieceBytes: number): Promise<readonly string[]> {
  const { recording } = await importFiles([fileOf('rank0.json', text, pieceBytes)]);
  const found = (recording?.ranks ?? []).flatMap((rank) =>
    rank.lanes.flatMap((lane) => Array.from({ length: lane.spans.count }, (_, k) => spanAt(rank, lane, k).name)),
  );
  return found.sort();
}
const expected = (events: readonly Event[]): readonly string[] =>
  events.map((of) => (of.name.length > 600 ? `${of.name.slice(0, 600)}...` : of.name)).sort();

describe('any valid trace', () => {
  it('is read completely, in pieces of any size, compressed or not', async () => {
    await fc.assert(
      fc.asyncProperty(trace, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (of, pieceBytes, isPacked) => {
        const bytes = new TextEncoder().encode(textOf(of));
        expect(await namesIn(isPacked ? gzipSync(bytes) : bytes, pieceBytes)).toEqual(expected(of.events));
      }),
    );
  });

  it('truncated anywhere gives the part before the cut, and says where it ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        trace,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 300 }),
        async (of, share, piece) => {
          const bytes = new TextEncoder().encode(textOf(of));
          const at = Math.floor(share * bytes.length);
          const file = fileOf('rank0.json', bytes.subarray(0, at), piece);
          const { notices, sources } = await importFiles([file]);
          // A bare list may lack its "]"; every other damage has a notice.
          const isWhole = of.isBare && sources.length > 0 && notices.every(({ text }) => !text.includes('ends'));
          if (!isWhole) expect(notices.length).toBeGreaterThan(0);
          for (const { place } of notices) expect(place.file).toBe('rank0.json');
          const inside = notices.find(({ place }) => place.event !== undefined && place.byte !== undefined);
          if (inside?.text.includes('The file ends inside event')) {
            expect(bytes[inside.place.byte ?? -1]).toBe('{'.charCodeAt(0));
          }
          const names = await namesIn(bytes.subarray(0, at), piece);
          const all = [...expected(of.events)];
          for (const found of names) expect(all.splice(all.indexOf(found), 1)).toEqual([found]);
        },
      ),
    );
  });

  it('with damage anywhere never throws', async () => {
    await fc.assert(
      fc.asyncProperty(
        trace,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        async (of, damage) => {
          const bytes = new TextEncoder().encode(textOf(of));
          for (const [at, byte] of damage) bytes[at % bytes.length] = byte;
          await importFiles([fileOf('rank0.json', bytes, 50)]);
        },
      ),
    );
  });
});

describe('a trace that', () => {
  const [whole] = ncclTraces();
  const text = async (): Promise<string> => new Response(whole?.stream() as ReadableStream).text();

  it('ends inside an event names the event and the bytes', async () => {
    const all = await text();
    const cut = all.slice(0, all.indexOf('"Seq"'));
    const { notices, recording } = await importFiles([fileOf('rank0.json', cut)]);
    const [first] = notices;
    expect(first?.text).toMatch(
      /^The file ends inside event [\d,]+, at byte [\d,]+[.] Lockstep read the events before the cut[.]$/,
    );
    expect(first?.place.event).toBeGreaterThan(3);
    expect(cut.slice(first?.place.byte, (first?.place.byte ?? 0) + 9)).toBe('{"ph":"X"');
    expect(recording?.ranks).toHaveLength(1);
  });

  it('has an event that is not JSON loses only this event', async () => {
    const bad = (await text()).replace('"name":"aten::linear"', '"name":"a "quoted" name"');
    const { notices, recording } = await importFiles([fileOf('rank0.json', bad)]);
    expect(notices[0]?.text).toMatch(/^Event \d+ is not valid JSON [(].*[)] and was left out[.]$/);
    const { recording: other } = await importFiles([fileOf('rank0.json', await text())]);
    expect(recording?.spanCount).toBe((other?.spanCount ?? 0) - 1);
  });

  it('is cut inside its gzip says so', async () => {
    const packed = gzipSync(new TextEncoder().encode(await text()));
    const { notices, recording } = await importFiles([fileOf('rank0.json.gz', packed.subarray(0, packed.length / 2))]);
    expect(notices[0]?.text).toContain('its gzip data is cut off');
    expect(recording?.ranks[0]?.rank).toBe(0);
    const damaged = Uint8Array.from(packed);
    damaged.fill(0xff, packed.length / 2);
    expect((await importFiles([fileOf('rank0.json.gz', damaged)])).notices[0]?.text).toMatch(
      /gzip data is (damaged|cut off)/,
    );
  });

  it('unpacks to more than is allowed is read up to there, with both sizes', async () => {
    const bomb = gzipSync(new TextEncoder().encode(`{"traceEvents": [${' '.repeat(40_000_000)}]}`));
    const { notices } = await importFiles([fileOf('rank0.json.gz', bomb)], { mostTextBytes: 8 * 2 ** 20 });
    expect(notices[0]?.text).toContain('it is longer than 8 MiB unpacked (39 KiB on the disk)');
  });

  it('has an element without an end is given up', async () => {
    const { notices } = await importFiles([fileOf('a.json', `{"traceEvents": ["${'x'.repeat(9_000_000)}`, 2 ** 20)]);
    expect(notices[0]?.text).toContain('The value at byte 17 is longer than 8 MiB; Lockstep did not read the rest.');
  });

  it('is read with progress, and stops on an abort', async () => {
    const files = ncclTraces({ ranks: 3, steps: 20 });
    const seen: number[] = [];
    const of = files.reduce((sum, { size }) => sum + size, 0);
    await importFiles(files, { onProgress: (bytes) => seen.push(bytes) });
    expect(seen.at(-1)).toBe(of);
    expect([...seen].sort((a, b) => a - b)).toEqual(seen);
    const abort = new AbortController();
    const stopped = importFiles(files, { signal: abort.signal, onProgress: () => abort.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
  });
});
