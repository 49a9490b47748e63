/**
 * The printed form of a Program: one line per instruction, per lane. People debug with it, tests compare it, lessons
 * show it.
 */
import type { Instruction, Program } from './instruction';

export function printInstruction(i: Instruction): string {
  const tail = [
    i.module && `module ${i.module}`,
    i.bucket !== undefined && `bucket ${i.bucket}`,
    i.signals && `signals ${i.signals}`,
  ]
    .filter(Boolean)
    .join(', ');
  return `${i.queue.padEnd(8)} ${body(i)}  ${i.phase}${tail ? ` (${tail})` : ''}`;
}

function body(i: Instruction): string {
  switch (i.kind) {
    case 'compute': {
      const inPlace = i.outputs.filter((o) => i.inputs.includes(o));
      const attrs = Object.entries(i.attrs).map(([k, v]) => `${k}=${v}`);
      return `k ${i.op.padEnd(22)} ${i.inputs.join(' ')} -> ${i.outputs.join(' ')}${attrs.length ? `  [${attrs.join(' ')}]` : ''}${inPlace.length ? '  in place' : ''}`;
    }
    case 'send':
      return `send ${slice(i)} -> ${i.peer}${collective(i)}`;
    case 'recv':
      return `recv ${slice(i)} <- ${i.peer} ${i.apply}${collective(i)}`;
    case 'load':
      return `load ${i.buffer} <- host ${i.source}${i.source === 'scalars' ? '' : `[${i.start}:${i.start + i.count}]`}`;
    case 'wait':
      return `wait ${i.event}`;
  }
}

const slice = (i: { slice: { buffer: string; offset: number; length: number } }) =>
  `${i.slice.buffer}[${i.slice.offset}:${i.slice.offset + i.slice.length}]`;

function collective(i: Extract<Instruction, { kind: 'send' | 'recv' }>): string {
  const c = i.collective;
  if (!c) return '';
  const round = c.round === undefined ? '' : ` round ${c.round}`;
  return `  ${c.algorithm} ${c.op}${c.part ? ` ${c.part}` : ''}${round}`;
}

export function printProgram(program: Program): string {
  return program.lanes
    .map((lane) =>
      [`cuda:${lane.device} (rank ${lane.rank})`, ...lane.instructions.map((i) => `  ${printInstruction(i)}`)].join(
        '\n',
      ),
    )
    .join('\n\n');
}
