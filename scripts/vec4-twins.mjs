/**
 * Writes the kernels that do the same as another kernel with vectors of four (shape/copy-vec4 from shape/copy), so that
 * each of these pairs has one source: the kernel for single elements. `node scripts/kernel-table.mjs` writes the twins;
 * a test compares them. A twin that also adds up the four components of its sums (norm/moments-vec4), or moves single
 * elements at the ends (comm/transfer-vec4), is written by hand, because it has other lines.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './install.mjs';

/**
 * @typedef {object} Twin
 * @property {string} head the comment at the top of the twin
 * @property {readonly string[]} tensors the tensors that are arrays of vectors; their strides are counted in elements
 * @property {readonly string[]} [sums] variables that begin as 0 and hold vectors
 * @property {readonly (readonly [from: string, to: string])[]} [changes] further changes of the text
 */

/** @type {Readonly<Record<string, Twin>>} by the kernel for single elements */
export const TWINS = {
  'norm/batch-norm': {
    head: `
// y = (x - mean) invstd weight + bias per channel: torch.nn.functional.batch_norm from the statistics of the batch (or
// the running ones), torch.nn.functional.group_norm from those of each group. x, y [batch, channels, plane]; weight,
// bias [channels]; mean, invstd one for every \`span\` (batch, channel) pairs of a group, or, with span 0, one per
// channel. One invocation takes every \`slices\`-th batch row of a channel and there every \`lanes\`-th element. As
// norm/batch-norm, four neighbours at a time, for planes that are multiples of 4: twice as fast on a software adapter.
// \`plane\` counts vectors.`,
    tensors: ['x', 'y'],
    changes: [
      [
        'fn relu(v: f32) -> f32 { return select(v, 0.0, (v <= 0.0) & !((bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u)); }',
        `fn relu(v: vec4f) -> vec4f {
  return select(v, vec4f(), (v <= vec4f()) & !((bitcast<vec4u>(v) & vec4u(0x7fffffffu)) > vec4u(0x7f800000u)));
}`,
      ],
    ],
  },
  'norm/batch-norm-grad-input': {
    head: `
// dx = (dy - sum_dy / count - (x - mean) invstd^2 sum_dy_xmu / count) invstd weight per channel:
// torch.batch_norm_backward_elemt, the gradient of batch norm by its input with the statistics of the batch as
// functions of it. dy, x, dx [batch, channels, plane], all others [channels]; \`inverse_count\` is 1 over the values a
// channel has, those of other ranks included where the statistics were shared. One invocation as in norm/batch-norm. As
// norm/batch-norm-grad-input, four neighbours at a time, for planes that are multiples of 4: twice as fast on a
// software adapter. \`plane\` counts vectors.`,
    tensors: ['dy', 'x', 'dx'],
  },
  'norm/layer-norm-grad-params': {
    head: `
// As norm/layer-norm-grad-params, four columns at a time, for rows of whole vectors of four
// (torch.nn.functional.layer_norm): the same bits. \`columns\` counts vectors. dy, x [rows, columns]; mean, rstd
// [rows]; partial [2, parts, columns]. One invocation per part of a column.`,
    tensors: ['dy', 'x', 'partial'],
    sums: ['dweight', 'dbias'],
  },
  'shape/add-chains': {
    head: `
// The sum of shape/add-chains, four neighbours of a slice per invocation: dx[o, k, i] = sum of dy[o, j, i] over the
// positions j chained to k, inner a multiple of 4. Exists because following a chain then costs a quarter.`,
    tensors: ['dy', 'dx'],
    sums: ['sum'],
    changes: [['let inner = params.inner;', 'let inner = params.inner / 4u;']],
  },
  'shape/add-picks': {
    head: `
// The sum of shape/add-picks, four neighbours of a slice per invocation: dx[o, k, i] = sum of dy[o, j, i] over the
// positions j chained to k, inner a multiple of 4. Exists because following a chain then costs a quarter.`,
    tensors: ['dy', 'dx'],
    sums: ['sum'],
    changes: [['let inner = params.inner;', 'let inner = params.inner / 4u;']],
  },
  'shape/copy': {
    head: `
// The strided copy of shape/copy, four neighbours per invocation: y[to + sum c_d to_d] = x[from + sum c_d from_d], with
// all strides and starts counted in vectors and the last dimension contiguous on both sides. Exists because its
// divisions and loads then serve four elements.`,
    tensors: ['x', 'y'],
  },
  'shape/index-select': {
    head: `
// The picking of shape/index-select, four neighbours of a slice per invocation: y[o, j, i] = x[o, index[j], i], inner a
// multiple of 4. Exists because rows of an embedding are long, and the divisions and the load of the index then serve
// four elements. \`first\` and PART as there.`,
    tensors: ['x', 'y'],
    changes: [
      ['let inner = params.inner;', 'let inner = params.inner / 4u;'],
      [
        'var v = bitcast<f32>(select(0x7fc00000u | params.n, 0u, PART));',
        'var v = vec4f(bitcast<f32>(select(0x7fc00000u | params.n, 0u, PART)));',
      ],
    ],
  },
};

/**
 * The text of the twin.
 * @param {string} id the kernel for single elements
 * @param {string} source its text
 */
export function twinOf(id, source) {
  const twin = TWINS[id];
  if (!twin) throw new Error(`${id} has no twin`);
  const change = (/** @type {string} */ text, /** @type {string | RegExp} */ from, /** @type {string} */ to) => {
    const changed = text.replaceAll(from, to);
    if (changed === text) throw new Error(`shaders/${id}.wgsl has no ${from}`);
    return changed;
  };
  let text = `${twin.head.trim()}\n${source.replace(/^(\/\/.*\n)+/, '')}`;
  for (const tensor of twin.tensors) {
    text = change(text, new RegExp(`(?<=> ${tensor}: )array<[fi]32>`, 'g'), 'array<vec4f>');
    text = change(text, new RegExp(`params\\.${tensor}_stride`, 'g'), `params.${tensor}_stride / 4u`);
  }
  for (const sum of twin.sums ?? []) text = change(text, `var ${sum} = 0.0;`, `var ${sum} = vec4f();`);
  for (const [from, to] of twin.changes ?? []) text = change(text, from, to);
  return text;
}

const fileOf = (/** @type {string} */ id) => path.join(root, 'shaders', `${id}.wgsl`);

/** Writes all twins. */
export function writeTwins() {
  for (const id of Object.keys(TWINS))
    writeFileSync(fileOf(`${id}-vec4`), twinOf(id, readFileSync(fileOf(id), 'utf8')));
}
