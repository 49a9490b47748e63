import { describe, expect, it } from 'vitest';
import { importFiles } from '../import-files';
import { fileOf, recorded } from '../testing/files';

describe('tables of nccl-tests', () => {
  it('are read by their header, with what was left out', async () => {
    const { tables, notices, sources } = await importFiles(recorded('tables'));
    expect(sources).toMatchObject([{ kind: 'collectives-table', entries: 3 }]);
    expect(tables[0]).toMatchObject({ tool: 'nccl-tests', kind: 'all_reduce', ranks: 8 });
    expect(tables[0]?.rows[0]).toEqual({
      bytes: 1_048_576,
      count: 262_144,
      dtype: 'float',
      reduceOp: 'sum',
      root: -1,
      timings: [
        { label: 'out-of-place', timeUs: 50.2, algorithmBandwidth: 20.89, busBandwidth: 36.56, wrong: 0 },
        { label: 'in-place', timeUs: 49.8, algorithmBandwidth: 21.06, busBandwidth: 36.85, wrong: 0 },
      ],
    });
    expect(tables[0]?.rows[1]?.timings[1]?.wrong).toBe(3);
    expect(tables[0]?.rows[2]?.timings[0]?.wrong).toBeUndefined();
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatchObject({ level: 'warning', place: { file: 'all_reduce.txt', line: 17 } });
  });

  it("of old versions, and Lockstep's own", async () => {
    const old = [
      '# bytes N type op time algbw busbw res time algbw busbw res |',
      '1048576 262144 float sum 2.059 0.51 0.51 N/A 3.314 0.32 0.32 N/A |',
    ].join('\n');
    const ours = [
      '# all_reduce by ring: 4 ranks over one memory, 20 iterations after 5',
      '# measured on SwiftShader; modelled on 8 x A100',
      '                                            measured                      modelled',
      '        size     count  type redop root     time algbw busbw #wrong     time algbw busbw',
      '         (B) (elements)                     (us) (GB/s) (GB/s)          (us) (GB/s) (GB/s)',
      '       65536     16384 float   sum   -1   100.00  0.66  0.98      0    10.00  6.55  9.83',
    ].join('\n');
    const { tables, notices } = await importFiles([fileOf('all_gather_perf.log', old), fileOf('b.txt', ours)]);
    expect(notices).toEqual([]);
    expect(tables[0]).toMatchObject({ kind: 'all_gather', ranks: undefined, rows: [{ bytes: 1_048_576, root: -1 }] });
    expect(tables[1]).toMatchObject({ tool: 'lockstep collectives', kind: 'all_reduce', ranks: 4 });
    expect(tables[1]?.rows[0]?.timings.map(({ label, timeUs }) => [label, timeUs])).toEqual([
      ['measured', 100],
      ['modelled', 10],
    ]);
  });

  it('a text that is not a table is refused, and the error says what to do', async () => {
    const texts = [
      '',
      'hello',
      '# size count type redop root time algbw busbw #wrong',
      '{"rows": [{"bytes": 1}]}',
      '{"a": 1}',
      'PK\u0003\u0004 and so on, quite',
    ];
    const { notices, tables } = await importFiles(texts.map((text, k) => fileOf(`${k}.txt`, text)));
    expect(tables).toEqual([]);
    expect(notices.map(({ text }) => text.replace(/[.:].*$/, ''))).toEqual([
      'The file is empty',
      'The table has no header of nccl-tests ("size count type ',
      'The table has a header of nccl-tests and no row',
      'Row 0 of the report lacks its bytes, measured time or modelled time',
      'The file is JSON without traceEvents, entries or rows (it has a), so it is not a recording that Lockstep can read',
      'The file is a zip archive',
    ]);
  });
});
