/**
 * The snippets of docs/reports.md in a hand-written training loop, run by a real PyTorch: they write a valid report,
 * and Lockstep's run of the same net on the same rows agrees with it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { place } from '../../scripts/tier';
import { writeNpy } from '../data/readers/npy';
import { runConfig } from '../headless/run';
import { pythonWithTorch, sayNoTorch } from '../training/testing/torch-scripts';
import { compareReports } from './compare-reports';
import { parseReport, readReport } from './read-report';

const page = readFileSync(new URL('../../docs/reports.md', import.meta.url), 'utf8');
const [five = '', history = ''] = [...page.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const [imports = '', before = '', inLoop = '', ...atEnd] = five.trimEnd().split('\n');
const [defined = '', noted = ''] = history.split('\n\n');

const CONFIG = {
  model: { layers: [{ type: 'Linear', in: 2, out: 4 }, { type: 'Tanh' }, { type: 'Linear', in: 4, out: 1 }] },
  data: { type: 'npy', inputs: 'x.npy', targets: 'y.npy', testFraction: 0 },
  loss: { type: 'MSELoss' },
  optimizer: { type: 'SGD', lr: 0.1, momentum: 0.9 },
  batchSize: 16,
  shuffle: false,
  seed: 3,
  steps: 6,
  device: 'cpu',
} as const;

/** `torch.manual_seed`, the model, and rows that need no random numbers. */
const script = (lr: number): string => `
import torch
${imports}
${defined}
torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
x = torch.arange(32, dtype=torch.float32).reshape(16, 2) / 32
y = x.sum(1, keepdim=True)
optimizer = torch.optim.SGD(model.parameters(), lr=${lr}, momentum=0.9)
${before}
for step in range(6):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    ${inLoop}
    optimizer.step()
${noted.replace(/^/gm, '    ')}
${atEnd.join('\n')}
`;

/** A tensor of float32 as .npy. */
const rows = Float32Array.from({ length: 32 }, (_, i) => i / 32);
const files = {
  'x.npy': writeNpy(rows, [16, 2]),
  'y.npy': writeNpy(
    Float32Array.from({ length: 16 }, (_, i) => (rows[2 * i] ?? 0) + (rows[2 * i + 1] ?? 0)),
    [16, 1],
  ),
};

const python = pythonWithTorch();
if (python === undefined)
  it('no PyTorch on this machine', () => sayNoTorch('the snippets of docs/reports.md were not run.'));
else
  describe('the snippets of docs/reports.md', () => {
    const written = (lr: number) => {
      const folder = mkdtempSync(path.join(tmpdir(), 'lockstep-own-loop-'));
      try {
        writeFileSync(path.join(folder, 'loop.py'), script(lr));
        execFileSync(python, ['loop.py'], { cwd: folder });
        return parseReport(readFileSync(path.join(folder, 'report.json'), 'utf8'), 'report.json');
      } finally {
        rmSync(folder, { recursive: true });
      }
    };
    const here = async () => {
      const { report } = await runConfig(CONFIG, files, { records: { history: 6, weights: true } });
      return readReport(JSON.parse(JSON.stringify(report)), 'here');
    };

    it('write a report of the same run', async () => {
      const { verdict, weights, history: steps } = compareReports(await here(), written(0.1));
      expect(verdict).toMatchObject({ same: true });
      expect([weights.tensors.length, steps.steps.length, steps.tensors.length]).toEqual([4, 6, 8]);
    });

    it(
      'write a report in which the cause of another run is seen',
      place({ rest: 'the other snippet writes a report by the same lines' }),
      async () => {
        const { verdict, causes } = compareReports(await here(), written(0.05));
        expect(verdict.same).toBe(false);
        expect(causes.map(({ id }) => id)).toEqual(['learning-rate']);
      },
    );
  });
