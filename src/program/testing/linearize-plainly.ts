/**
 * The order that `linearize` gives, by asking every queue after every step: slow, and short enough to be read. Tests
 * compare the two.
 */
import { at } from '../../base/invariant';
import type { Instruction, InstructionId, Program } from '../instruction';
import { Posted, signatures } from '../ready-heads';

/** Ids of the instructions of each step. */
export function linearizePlainly(program: Program, options: { readonly group: boolean }): InstructionId[][] {
  const heads = program.lanes.flatMap(({ device, instructions }) =>
    (['compute', 'comm'] as const).map((queue) => ({
      device,
      list: instructions.filter((i) => i.queue === queue),
      next: 0,
    })),
  );
  const signatureOf = signatures(program);
  const signalled = new Set<string>();
  const posted = new Posted();
  const steps: InstructionId[][] = [];
  const finish = (head: (typeof heads)[number], i: Instruction) => {
    head.next++;
    if (i.signals) signalled.add(`${head.device} ${i.signals}`);
  };
  for (;;) {
    for (let moved = true; moved; ) {
      moved = false;
      for (const head of heads) {
        const i = head.list[head.next];
        if (i?.kind !== 'send' && !(i?.kind === 'wait' && signalled.has(`${head.device} ${i.event}`))) continue;
        if (i.kind === 'send') posted.add({ device: head.device, instruction: i });
        finish(head, i);
        moved = true;
      }
    }
    const ready = heads.flatMap((head) => {
      const i = head.list[head.next];
      if (!i || i.kind === 'wait' || i.kind === 'send') return [];
      if (i.kind === 'recv' && !posted.byTag.has(i.tag)) return [];
      return posted.overwrittenBy(head.device, i) ? [] : [{ head, i, signature: signatureOf(head.device, i) }];
    });
    const groups = [...new Set(ready.map(({ signature }) => signature))].map((one) =>
      ready.filter(({ signature }) => signature === one),
    );
    /** Whether no other device has such an instruction left. */
    const isWhole = (group: typeof ready): boolean =>
      heads.every(
        ({ device, list, next }) =>
          group.some(({ head }) => head.device === device) ||
          !list.slice(next).some((i) => signatureOf(device, i) === at(group, 0).signature),
      );
    const whole = options.group ? groups.filter(isWhole) : [];
    const [best] = (whole.length > 0 ? whole : groups).sort(
      (a, b) => b.length - a.length || at(a, 0).i.id - at(b, 0).i.id,
    );
    if (!best) return steps;
    const chosen = options.group ? best : best.slice(0, 1);
    steps.push(chosen.map(({ i }) => i.id));
    for (const { head, i } of chosen) finish(head, i);
    for (const { i } of chosen) if (i.kind === 'recv') posted.received(i.tag);
  }
}
