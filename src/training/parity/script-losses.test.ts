/**
 * The PyTorch listing prints the losses of the run, as many as the run has. Each listing is compared with the recorded
 * one, the run's losses with those that real PyTorch printed for it; and where this machine has a torch, all listings
 * run in it now.
 */
import { describe, expect, test } from 'vitest';
import { place } from '../../../scripts/tier';
import { isOlder } from '../../cli/torch/python';
import { runConfig } from '../../headless/run';
import { type Printed, printedBy, printedIn, SCRIPT_SETS, type ScriptCase, torchScript } from '../testing/script-cases';
import { pythonWithTorch, runTorchScripts, sayNoTorch } from '../testing/torch-scripts';

/** Of a loss: the rounding of some steps in float32. */
const BAR = 2e-6;

/** Cases in which PyTorch comes to its end before the steps do, and the run with it. */
const MAY_STOP = /samplesPerRank \[20, 10\], 3 steps|ddp 2, xor, BCEWithLogitsLoss, Adam, 5 steps/;

function expectEqual(found: Printed, expected: Printed, what: string): void {
  expect(
    found.map((losses) => losses.length),
    `numbers per process, ${what}`,
  ).toEqual(expected.map((losses) => losses.length));
  expected.forEach((losses, process) => {
    losses.forEach((loss, i) => {
      const far = Math.abs((found[process]?.[i] ?? Number.NaN) - loss) / Math.max(1, Math.abs(loss));
      expect(far, `number ${i} of process ${process}, ${what}`).toBeLessThanOrEqual(BAR);
    });
  });
}

describe.each(SCRIPT_SETS)('$name', (set) => {
  const { cases, module, recorded } = set;
  const python = pythonWithTorch(module);
  const word = process.env['LOCKSTEP_RECORD'];
  const again = cases.filter(({ name }) => word === '1' || (word !== undefined && name.includes(word)));
  if (again.length > 0 && python !== undefined) {
    test('recorded anew', { timeout: 600_000 }, async () => {
      const { torch, outputs } = runTorchScripts(python, await Promise.all(again.map(torchScript)));
      expect(outputs.filter(({ error }, i) => error !== null && !MAY_STOP.test(again[i]?.name ?? ''))).toEqual([]);
      set.record(torch, new Map(outputs.map(({ printed }, i) => [again[i]?.name ?? '', printed])));
    });
  }

  describe.each(cases)('$name', ({ name, since, config, script, files }) => {
    const known = recorded.cases[name];
    const torchOf = known?.torch ?? recorded.torch;

    test('the listing is the one that ran in PyTorch', () => {
      expect(known?.script, 'record anew, see testing/script-cases.ts').toEqual(script);
    });

    const WORKERS = 'ranks in workers have the bits of ranks in one memory (equality.test.ts)';
    for (const placement of ['shared', 'workers'] as const)
      test(
        `the run has the losses that it printed (${placement})`,
        place(placement === 'shared' ? {} : { rest: WORKERS }),
        async () => {
          const { report } = await runConfig({ ...config, placement }, await files());
          expectEqual(printedBy(config, report), known?.printed ?? [], `recorded by torch ${torchOf}`);
        },
      );

    if (since === undefined) return;
    test('the numbers come from a corrected torch, and differ from those of an earlier torch', () => {
      const { torch: before = '', printed = [] } = known?.before ?? {};
      expect([isOlder(torchOf, since), isOlder(before, since)]).toEqual([false, true]);
      expect(() => expectEqual(known?.printed ?? [], printed, before)).toThrow(BAR.toString());
    });
  });

  const [first, others] = [true, false].map((isFirst) =>
    cases.filter(({ config }, i) => isFirst === (cases.findIndex((c) => c.config.mode === config.mode) === i)),
  );
  test(`one of each mode, run by a PyTorch of this machine (${python ?? 'none found'})`, { timeout: 300_000 }, () =>
    runInTorch(first ?? []),
  );
  const SAME = 'what torch prints changes only with the listing, which is compared with the one that torch ran';
  test(
    `all others, run by a PyTorch of this machine (${python ?? 'none found'})`,
    { timeout: 300_000, ...place({ rest: SAME }) },
    () => runInTorch(others ?? []),
  );

  async function runInTorch(cases: readonly ScriptCase[]): Promise<void> {
    if (python === undefined) {
      const more = [`They were compared with what torch ${recorded.torch} printed when it was last asked.`];
      sayNoTorch(`the ${set.name} were not run.`, { module, more });
      return;
    }
    const { torch, outputs } = runTorchScripts(python, await Promise.all(cases.map(torchScript)));
    cases.forEach((one, i) => {
      const expected = printedIn(torch, one, recorded.cases[one.name]);
      const { printed = [], error = null } = outputs[i] ?? {};
      expectEqual(
        printed,
        expected,
        `${one.name}, torch ${torch}${error === null ? '' : `, which ended with ${error}`}`,
      );
    });
  }
});
