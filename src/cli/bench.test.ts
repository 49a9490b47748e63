/** `lockstep bench`: the options, a run on the CPU, its report, and --against with two reports. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { at } from '../base/invariant';
import { BENCH_WORKLOADS, timedWorkload } from '../bench/run-bench';
import { type BenchReport, benchReportSchema } from '../protocol/bench-report';
import { bench, besides } from './bench';
import { benchOptions } from './bench-usage';
import { EXIT } from './exit-code';
import { jsonSchemaOf } from './schema';
import { parseCommand } from './usage';

let folder = '';
let printed = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'lockstep-bench-'));
  printed = '';
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      printed += String(text);
      return true;
    });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const quick = { device: 'cpu', only: 'mlp-single', rounds: '2', milliseconds: '5' };
const none = new AbortController().signal;

describe('a run', () => {
  it('writes a report that its schema takes, and that --against reads', async () => {
    const file = path.join(folder, 'a.json');
    expect(await bench(benchOptions({ ...quick, out: file }), none)).toBe(EXIT.ok);
    const report = v.parse(benchReportSchema, JSON.parse(readFileSync(file, 'utf8')));
    expect(report.device.kind).toBe('cpu');
    expect(report.workloads.map(({ id, rounds }) => [id, rounds.length])).toEqual([['mlp-single', 2]]);
    const [first] = report.workloads;
    expect(first?.median).toBeGreaterThan(0);
    expect(printed).toMatch(/^mlp-single /m);
    // A report of a machine that is a million times faster, because on a busy machine two rounds may differ much.
    const faster = { ...report, workloads: report.workloads.map((work) => ({ ...work, median: 1e6 * work.median })) };
    writeFileSync(file, JSON.stringify(faster));
    expect(await bench(benchOptions({ ...quick, against: file }), none)).toBe(EXIT.slower);
    expect(printed).toMatch(/mlp-single reaches 0\.00 of the earlier steps per second, which is below 0\.9\./);
  });

  it('prints nothing but JSON with --json', async () => {
    await bench(benchOptions({ ...quick, json: true }), none);
    expect(v.is(benchReportSchema, JSON.parse(printed))).toBe(true);
  });

  it('names the workloads if none matches, and a file that is not a report', async () => {
    await expect(bench(benchOptions({ ...quick, only: 'resnet' }), none)).rejects.toThrow(
      'No workload begins with "resnet".',
    );
    const file = path.join(folder, 'other.json');
    const refused = (content: object) => {
      writeFileSync(file, JSON.stringify(content));
      return expect(bench(benchOptions({ ...quick, against: file }), none)).rejects;
    };
    await refused({}).toThrow('other.json: the file is not a report of lockstep bench: "kind" is not "lockstep bench"');
    await refused({ kind: 'lockstep bench', version: 2 }).toThrow(
      'the report has version 2, and this Lockstep reads version 1',
    );
    await refused({ kind: 'lockstep bench', version: 1 }).toThrow('the report is not valid: date');
  });

  it('stops in the middle of a round, although the CPU device never waits for anything else', async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 30);
    const long = benchOptions({ ...quick, rounds: '1', milliseconds: '600000' });
    await expect(bench(long, abort.signal)).rejects.toThrow('The benchmark was stopped in mlp-single');
  });

  it('takes the mean of the two middle rounds if the number of rounds is even', () => {
    expect(timedWorkload(at(BENCH_WORKLOADS, 0), [4, 1, 2, 100])).toMatchObject({
      median: 3,
      slowest: 1,
      fastest: 100,
    });
  });
});

it('has workloads of every preset, each with an id of its own', () => {
  const ids = BENCH_WORKLOADS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain('gpt-single');
});

it('reads its options', () => {
  expect(parseCommand(['bench', '--only', 'gpt,cnn', '--gate', '0.5', '--against', 'a.json'])).toEqual({
    name: 'bench',
    options: {
      request: {
        only: ['gpt', 'cnn'],
        device: 'auto',
        threads: 1,
        fusedMultiplyAdd: false,
        rounds: 5,
        milliseconds: 500,
      },
      page: false,
      json: false,
      out: undefined,
      against: 'a.json',
      gate: 0.5,
    },
  });
  expect(() => parseCommand(['bench', '--gate', '0.5'])).toThrow('--gate needs --against FILE');
  expect(() => parseCommand(['bench', '--gate', 'fast', '--against', 'a'])).toThrow('--gate must be a ratio');
  expect(parseCommand(['bench', '--page', '--fused-multiply-add'])).toMatchObject({
    options: { page: true, request: { fusedMultiplyAdd: true } },
  });
  expect(() => parseCommand(['bench', '--page', '--threads', '2'])).toThrow('--threads has no effect with --page');
  expect(() => parseCommand(['bench', '--device', 'webgpu', '--threads', '2'])).toThrow('a setting of the CPU device');
  expect(() => parseCommand(['bench', '--only', ''])).toThrow('--only needs the beginning of a workload id');
  expect(parseCommand(['schema', '--bench'])).toEqual({ name: 'schema', of: 'bench' });
  expect(jsonSchemaOf('bench')['title']).toBe('Report of lockstep bench');
});

describe('two reports', () => {
  const report = (median: number, adapter = 'CPU'): BenchReport => ({
    ...{
      kind: 'lockstep bench',
      version: 1,
      date: '2026-01-01',
      page: false,
      threads: 1,
      fusedMultiplyAdd: false,
      rounds: 1,
      milliseconds: 1,
    },
    machine: { system: 'Linux', processor: 'p', cores: 2, runtime: 'Node' },
    device: { kind: 'cpu', adapter },
    workloads: [{ id: 'a', title: 'a', unit: 'steps/s', median, slowest: median, fastest: median, rounds: [median] }],
  });

  it('pass if no ratio is below the gate', () => {
    expect(besides(report(95), report(100), 0.9).status).toBe(EXIT.ok);
    expect(besides(report(85), report(100), 0.9).status).toBe(EXIT.slower);
  });

  it('are not compared across devices', () => {
    const { status, lines } = besides(report(1), report(1, 'other'), 0.9);
    expect(status).toBe(EXIT.differ);
    expect(lines[0]).toContain('another device or machine: cpu (other) on Linux, p, 2 cores.');
    expect(besides({ ...report(1), page: true }, report(1), 0.9).status).toBe(EXIT.differ);
  });

  it('are not compared across machines', () => {
    const other = { ...report(1), machine: { ...report(1).machine, processor: 'faster' } };
    const { status, lines } = besides(report(1), other, 0.9);
    expect(status).toBe(EXIT.differ);
    expect(lines[0]).toMatch(/another device or machine: .*faster, 2 cores\. .* The gate is not applied\./);
  });

  it('are compared across settings, which are named', () => {
    const { status, lines } = besides({ ...report(1), threads: 2 }, report(1), 0.9);
    expect(status).toBe(EXIT.ok);
    expect(lines[0]).toBe('The earlier report was measured with 1 thread, Node; this one with 2 threads, Node.');
  });
});
