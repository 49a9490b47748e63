/**
 * `lockstep collectives`: a collective over a range of sizes, in a table like that of nccl-tests, with measured times
 * on this machine and modelled times; each run's values are checked first. The session measures.
 */

import { runCollectives } from '../bench/run-collectives';
import type { CollectivesReport, CollectivesRow, CollectiveTiming } from '../protocol/collectives-report';
import { type CollectivesOptions, snake } from './collectives-usage';
import { EXIT } from './exit-code';
import { nodeGpu } from './node-gpu';
import { checkOutputs, write } from './outputs';

const WIDTHS = [14, 14, 8, 8, 6, 12, 9, 9, 8, 12, 9, 9] as const;

export async function collectives(options: CollectivesOptions, signal: AbortSignal): Promise<number> {
  const { request, json, out } = options;
  await checkOutputs({ out });
  const gpu = await nodeGpu(request.device);
  let begun = false;
  const report = await runCollectives(request, {
    gpu,
    signal,
    onRow(row, head) {
      if (json) return;
      if (!begun) process.stdout.write(`${headLines(head).join('\n')}\n`);
      begun = true;
      process.stdout.write(`${rowLine(row)}\n`);
    },
  });
  const wrong = report.rows.reduce((sum, row) => sum + row.wrong, 0);
  if (json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else process.stdout.write(`${tailLines(report, wrong).join('\n')}\n`);
  if (out !== undefined) await write(out, `${JSON.stringify(report, null, 2)}\n`);
  return wrong === 0 ? EXIT.ok : EXIT.runFailed;
}

export function headLines({
  request,
  algorithm,
  device,
  modelledHardware,
}: Omit<CollectivesReport, 'rows'>): readonly string[] {
  const { op, ranks, nodes, transport, iterations, warmup } = request;
  const asked =
    algorithm === request.algorithm ? '' : ` (${snake(request.algorithm)} has no ${snake(op)}, so naive runs)`;
  const where = nodes === 1 ? '' : ` on ${nodes} nodes`;
  const how = transport === 'shared' ? 'one memory' : 'MessagePorts';
  return [
    `# ${snake(op)} by ${snake(algorithm)}${asked}: ${ranks} ranks${where} over ${how}, ${iterations} iterations after ${warmup}`,
    `# measured on ${device.adapter}; modelled on ${modelledHardware}`,
    line(['', '', '', '', '', 'measured', '', '', '', 'modelled', '', '']),
    line(['size', 'count', 'type', 'redop', 'root', 'time', 'algbw', 'busbw', '#wrong', 'time', 'algbw', 'busbw']),
    line(['(B)', '(elements)', '', '', '', '(us)', '(GB/s)', '(GB/s)', '', '(us)', '(GB/s)', '(GB/s)']),
  ];
}

export function rowLine({ bytes, count, dtype, reduceOp, root, measured, modelled, wrong }: CollectivesRow): string {
  const timing = ({ timeUs, algorithmBandwidth, busBandwidth }: CollectiveTiming): readonly string[] => [
    timeUs.toFixed(timeUs < 1000 ? 2 : 0),
    algorithmBandwidth.toFixed(2),
    busBandwidth.toFixed(2),
  ];
  const what = [String(bytes), String(count), dtype, reduceOp, String(root)];
  return line([...what, ...timing(measured), String(wrong), ...timing(modelled)]);
}

function tailLines({ rows }: CollectivesReport, wrong: number): readonly string[] {
  const mean = (of: (row: CollectivesRow) => number): string =>
    (rows.reduce((sum, row) => sum + of(row), 0) / rows.length).toFixed(2);
  return [
    `# Wrong elements: ${wrong} ${wrong === 0 ? 'OK' : 'FAILED'}`,
    `# Avg bus bandwidth: ${mean((row) => row.measured.busBandwidth)} GB/s measured, ${mean((row) => row.modelled.busBandwidth)} GB/s modelled`,
  ];
}

const line = (cells: readonly string[]): string =>
  `${cells.map((cell, i) => cell.padStart(WIDTHS[i] ?? 0)).join('')}`.trimEnd();
