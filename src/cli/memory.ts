/**
 * `lockstep memory`: the memory that a run will allocate on each device, without running it: a tree of devices, kinds
 * and tensors whose sums are the peak.
 */

import { planRun } from '../headless/plan-run';
import type { DeviceMemory, MemoryCategory, MemoryEntry } from '../protocol/trace';
import { bufferWords } from '../trace/buffer-words';
import { type RunSource, readRun } from './read-run';

export async function memory(source: RunSource): Promise<string> {
  const { config, files } = await readRun(source);
  const devices = await planRun(config, files);
  return `${devices.flatMap(deviceLines).join('\n')}\n`;
}

export function deviceLines(memory: DeviceMemory): readonly string[] {
  const { device, peakBytes, hostBytes, budgetBytes, byCategory } = memory;
  const entries = memory.entries.filter(({ onHost }) => !onHost);
  const lines = [`cuda:${device}  ${size(peakBytes)} of ${size(budgetBytes)}`];
  const categories = (Object.entries(byCategory) as [MemoryCategory, number][]).filter(([, bytes]) => bytes > 0);
  for (const [category, bytes] of categories.sort((a, b) => b[1] - a[1])) {
    lines.push(`  ${category.padEnd(14)}${size(bytes).padStart(12)}`);
    for (const entry of entries.filter((e) => e.category === category)) lines.push(`    ${entryLine(entry)}`);
  }
  if (hostBytes !== undefined) {
    lines.push(`  ${'on the host'.padEnd(14)}${size(hostBytes).padStart(12)}`);
    for (const entry of memory.entries) if (entry.onHost) lines.push(`    ${entryLine(entry)}`);
  }
  return lines;
}

/** Tensors that share a place one after the other are listed in its line. */
function entryLine({ bytes, tensors }: MemoryEntry): string {
  const [first = '', ...others] = tensors;
  const shared = others.length > 0 ? `, then ${others.map(bufferWords).join(', ')}` : '';
  return `${size(bytes).padStart(12)}  ${bufferWords(first)}${shared}`;
}

const size = (bytes: number): string => `${bytes.toLocaleString('en')} B`;
