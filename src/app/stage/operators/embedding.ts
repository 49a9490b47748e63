/**
 * An embedding: the table with one row per token, the tokens of sample 1, and their rows. In backward the table's
 * gradient: only rows whose tokens are in the batch have one.
 */
import { plural } from '../../../base/plural';
import { bottom, right } from '../../draw/geometry';
import type { DrawnOperand } from './drawn';
import type { Operation, OperatorPicture } from './operator-picture';
import { captioned, columns, footed, LINE } from './places';
import type { Sketch } from './sketch';
import { onScale } from './tensors';

const ROW = { least: 4, most: 22, words: 13 };

const letter = (text: string): string => (text === '\n' ? '⏎' : text === ' ' ? '␣' : text);

export const embedding: OperatorPicture = {
  name: 'embedding',
  operators: ['embedding/embedding', 'embedding/embedding-grad'],
  shows: 'the tokens, and the rows of the table that they pick; in backward the rows that get a gradient',
  draw(operation, sketch) {
    if (operation.event.name.endsWith('-grad')) backward(operation, sketch);
    else forward(operation, sketch);
  },
};

function forward(operation: Operation, sketch: Sketch): void {
  const { reads, writes, area, detail, info } = operation;
  const table = reads.find(({ category }) => category === 'parameter');
  const ids = reads.find(({ category }) => category !== 'parameter');
  const [out] = writes;
  if (!table || !ids || !out) return;
  const [, width = 1] = table.shape;
  const { vocabulary, first, held } = rowsHeld(table);
  const tokens = ids.shape[1] ?? ids.shape[0] ?? 1;
  const words = detail !== 'least';
  const { foot, body } = footed(area, detail === 'full');
  const { caption, body: rowsAt } = captioned(body, words);
  const shown = Math.max(1, Math.min(tokens, Math.floor(rowsAt.height / ROW.least)));
  const height = Math.min(ROW.most, rowsAt.height / shown);
  const top = rowsAt.y + (rowsAt.height - shown * height) / 2;
  const [tableAt = rowsAt, between = rowsAt, outAt = rowsAt] = columns(rowsAt, [1, 0.42, 1], 6);
  const across = Math.min(width, Math.max(1, Math.floor(outAt.width / 2)));
  // The table is as high as the picture, so every token has its line.
  const line = rowsAt.height / vocabulary;
  const cropped = Math.min(width, Math.max(1, Math.floor(tableAt.width / 2)));
  const place = { ...tableAt, y: rowsAt.y, height: rowsAt.height };
  if (held < vocabulary) sketch.box(place, { stroke: 'soft', dash: [3, 3] });
  sketch.box({ ...place, y: rowsAt.y + first * line, height: held * line }, { fill: 'track', below: true });
  const known = Math.min(held, Math.floor((table.values?.length ?? 0) / width));
  if (known > 0)
    sketch.map(
      table,
      { ...tableAt, y: rowsAt.y + first * line, height: known * line },
      { offset: 0, stride: width, rows: known, columns: cropped },
    );
  sketch.map(
    out,
    { x: outAt.x, y: top, width: outAt.width, height: shown * height },
    {
      offset: 0,
      stride: width,
      rows: Math.min(shown, Math.floor((out.values?.length ?? shown * width) / width)),
      columns: across,
    },
    'sample 1',
  );
  const readable = height >= ROW.words && between.width >= 40;
  for (let t = 0; t < shown; t++) {
    const id = ids.values?.[t];
    if (id === undefined) continue;
    const y = top + (t + 0.5) * height;
    const from = rowsAt.y + (id + 0.5) * line;
    const turn = between.x + between.width * 0.62;
    const isHeld = id >= first && id < first + held;
    if (isHeld) {
      sketch.line(
        [
          { x: right(tableAt), y: from },
          { x: turn, y },
        ],
        'parameter',
        { width: 1, alpha: 0.7 },
      );
      sketch.line(
        [
          { x: turn, y },
          { x: outAt.x - (readable ? 14 : 2), y },
        ],
        'parameter',
        { alpha: 0.7 },
      );
    }
    if (readable)
      sketch.word(
        { x: outAt.x - 13, y: y - LINE / 2 + 1, width: 13, height: LINE },
        [letter(info.dataset.vocabulary[id] ?? String(id)), ''],
        { tone: 'ink' },
      );
    // A row beyond the captured part of the table is read from the output.
    if (isHeld && id - first >= known && out.values && (t + 1) * width <= out.values.length)
      sketch.map(
        out,
        { x: tableAt.x, y: rowsAt.y + id * line, width: tableAt.width, height: line },
        { offset: t * width, stride: width, rows: 1, columns: cropped },
        `row ${id} of the table`,
      );
  }
  if (words) {
    sketch.word({ ...caption, x: tableAt.x, width: tableAt.width + between.width * 0.5 }, [
      ...(held < vocabulary ? [`${table.name}, rows ${first}–${first + held - 1} of ${vocabulary}`] : []),
      `${table.name}, ${held} × ${width}`,
      table.name,
      'table',
    ]);
    sketch.word(
      { ...caption, x: outAt.x, width: outAt.width },
      [
        ...(held < vocabulary ? ['rows of its tokens, zeros for the others'] : []),
        `row of each token, ${tokens} × ${width}`,
        plural(tokens, 'row'),
        'rows',
      ],
      { tone: 'ink' },
    );
  }
  sketch.word(
    foot,
    held < vocabulary
      ? ['an addend of the output: tokens of other ranks give zeros', 'tokens of other ranks give zeros', 'an addend']
      : [
          `each of the ${tokens} tokens of sample 1 picks its row of the table`,
          'each token picks its row of the table',
        ],
  );
  say(operation, sketch, ids);
}

interface RowsHeld {
  /** The number of rows of the whole table. */
  readonly vocabulary: number;
  /** The rank's rows: the first of them, and their number. */
  readonly first: number;
  readonly held: number;
}

/** The rows that this rank holds: a tensor group may divide the vocabulary among its ranks. */
function rowsHeld({ shape, cut }: DrawnOperand): RowsHeld {
  const [held = 1] = shape;
  if (cut?.dim !== 0) return { vocabulary: held, first: 0, held };
  return { vocabulary: cut.part.shape[0] ?? held, first: cut.part.ranges[0]?.[0]?.start ?? 0, held };
}

function say({ event, info }: Operation, sketch: Sketch, ids: DrawnOperand): void {
  const some = [...(ids.values?.subarray(0, 8) ?? [])].map(
    (id) => `${letter(info.dataset.vocabulary[id] ?? '')} (row ${id})`,
  );
  sketch.say(some.length === 0 ? `${event.name}: not computed yet` : `${event.name}: tokens ${some.join(', ')}`);
}

function backward(operation: Operation, sketch: Sketch): void {
  const { reads, writes, area, detail, info } = operation;
  const [gradient] = writes;
  const ids = reads.find(({ category }) => category === 'data');
  const delta = reads.find(({ buffer }) => buffer.endsWith('.grad'));
  if (!gradient || !ids) return;
  const [, width = 1] = gradient.shape;
  const { vocabulary, first, held } = rowsHeld(gradient);
  const words = detail !== 'least';
  const { foot, body } = footed(area, detail === 'full');
  const { caption, body: at } = captioned(body, words);
  const [deltaAt = at, between = at, tableAt = at] = columns(
    at,
    delta && detail !== 'least' ? [1, 0.42, 1] : [0, 0, 1],
    6,
  );
  const known = gradient.values ? Math.min(held, Math.floor(gradient.values.length / width)) : held;
  // The lines of tokens whose rows were not captured end at the lower edge.
  const line = Math.min(24, at.height / known);
  const across = Math.min(width, Math.max(1, Math.floor(tableAt.width / 2)));
  const table = onScale(gradient);
  sketch.map(
    table.operand,
    { ...tableAt, height: known * line },
    { offset: 0, stride: width, rows: known, columns: across },
  );
  const tokens = ids.shape[1] ?? ids.shape[0] ?? 1;
  if (delta && deltaAt.width > 0) {
    const shown = Math.min(tokens, Math.floor((delta.values?.length ?? tokens * width) / width));
    const height = Math.min(ROW.most, at.height / Math.max(1, shown));
    const top = at.y + (at.height - shown * height) / 2;
    sketch.map(
      onScale(delta).operand,
      { ...deltaAt, y: top, height: shown * height },
      { offset: 0, stride: width, rows: shown, columns: across },
      'sample 1',
    );
    for (let t = 0; t < shown; t++) {
      const id = (ids.values?.[t] ?? -1) - first;
      if (id >= 0 && id < known)
        sketch.line(
          [
            { x: right(deltaAt), y: top + (t + 0.5) * height },
            { x: tableAt.x, y: at.y + (id + 0.5) * line },
          ],
          'gradient',
          { alpha: 0.7 },
        );
    }
    if (words)
      sketch.word({ ...caption, x: deltaAt.x, width: deltaAt.width + between.width * 0.5 }, [
        'δ of each token, sample 1',
        'δ per token',
        'δ',
      ]);
  }
  if (words)
    sketch.word(
      { ...caption, x: tableAt.x, width: tableAt.width },
      [
        `${gradient.name}, ${known < held ? `first ${known} of ` : ''}${held < vocabulary ? `${held} of ` : ''}${vocabulary} rows${table.note}`,
        gradient.name,
        'gradient',
      ],
      { tone: 'ink' },
    );
  const counts = new Map<number, number>();
  for (const id of ids.values ?? []) if (id >= first && id < first + held) counts.set(id, (counts.get(id) ?? 0) + 1);
  sketch.word({ ...foot, y: bottom(body) }, [
    `each row adds the δ of all its tokens; ${counts.size} of ${held} rows have tokens in this batch`,
    `${counts.size} of ${held} rows get a gradient`,
  ]);
  const often = [...counts].sort(([, a], [, b]) => b - a).slice(0, 3);
  sketch.say(
    `${operation.event.name}: ${often.map(([id, n]) => `${letter(info.dataset.vocabulary[id] ?? String(id))} is ${n} times in the batch`).join(', ')}`,
  );
}
