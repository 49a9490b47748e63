/**
 * The texts of a source file that users read, each with its line: in TypeScript the words between JSX tags and every
 * literal of three words or more; in MDX each paragraph, heading and attribute. Pure. Called by sentences.mjs.
 */
import { createProcessor } from '@mdx-js/mdx';
import remarkFrontmatter from 'remark-frontmatter';
import remarkMath from 'remark-math';
import ts from 'typescript';

/** @typedef {{ line: number, text: string }} Text */

const isSaid = (/** @type {string} */ text) => text.trim().split(/\s+/).length >= 3 && /[a-z]{2}/i.test(text);
const inOneLine = (/** @type {string} */ text) => text.replace(/\s+/g, ' ').trim();

/** Attributes that are read even if they are a single word. */
const READ_ATTRIBUTES = new Set(['alt', 'aria-label', 'label', 'placeholder', 'title']);

/**
 * A template literal, with {name} for each expression.
 * @param {ts.TemplateExpression} node @param {ts.SourceFile} source
 */
const templateText = (node, source) =>
  node.head.text +
  node.templateSpans.map(({ expression, literal }) => `{${expression.getText(source)}}${literal.text}`).join('');

/** @param {string} file @param {string} code @returns {Text[]} */
export function textsOfTypeScript(file, code) {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  /** @type {Text[]} */
  const texts = [];
  const say = (/** @type {ts.Node} */ node, /** @type {string} */ text) =>
    texts.push({
      line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
      text: inOneLine(text),
    });
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isJsxText(node) && /[a-z]{2}/i.test(node.text)) say(node, node.text);
    else if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      const name = node.name.getText(source);
      if (READ_ATTRIBUTES.has(name) || isSaid(node.initializer.text)) say(node, node.initializer.text);
      return;
    } else if (ts.isStringLiteralLike(node) && isSaid(node.text)) say(node, node.text);
    else if (ts.isTemplateExpression(node) && isSaid(templateText(node, source))) {
      say(node, templateText(node, source));
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

const processor = createProcessor({ remarkPlugins: [remarkFrontmatter, remarkMath] });
const BLOCKS = new Set(['paragraph', 'heading', 'tableCell']);

/**
 * The text that a reader sees of a node; a value from a run is <its name>.
 * @param {any} node
 * @returns {string}
 */
function said(node) {
  if (node.name === 'Value') return `<${node.attributes.find((/** @type {any} */ a) => a.name === 'of')?.value}>`;
  if (node.type === 'inlineMath') return `$${node.value}$`;
  return node.value ?? (node.children ?? []).map(said).join('');
}

/** @param {string} _file @param {string} code @returns {Text[]} */
export function textsOfMdx(_file, code) {
  /** @type {Text[]} */
  const texts = [];
  const visit = (/** @type {any} */ node) => {
    const line = node.position?.start.line ?? 1;
    for (const { name, value } of node.attributes ?? [])
      if ((name === 'ask' || name === 'title') && typeof value === 'string') texts.push({ line, text: value });
    if (node.type === 'yaml')
      for (const [index, row] of String(node.value).split('\n').entries()) {
        const [, text] = /^(?:title|description): (.*)$/.exec(row) ?? [];
        if (text !== undefined) texts.push({ line: line + 1 + index, text });
      }
    else if (BLOCKS.has(node.type)) {
      const text = inOneLine(said(node));
      if (/[a-z]{2}/i.test(text)) texts.push({ line, text });
    } else for (const child of node.children ?? []) visit(child);
  };
  visit(processor.parse(code));
  return texts;
}
