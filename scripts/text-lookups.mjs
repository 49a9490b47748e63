/**
 * Finds plain objects that are indexed with a text (`table[name]`, `name in table`, `const { [name]: value } = table`).
 * Such a name finds what every object inherits, too, and writing `table['__proto__']` changes the object's kind: names
 * that users write, and files and tensors bear, must go through `lookup` of src/base, or into a Map. Names of a known
 * set of words (`'a' | 'b'`) and numbers are fine. Run by types.mjs.
 */
import ts from 'typescript';

/** @typedef {{ readonly file: string, readonly line: number, readonly text: string }} TextLookup */

/**
 * @param {ts.Program} program
 * @param {(file: string) => boolean} isChecked
 * @returns {TextLookup[]}
 */
export function textLookups(program, isChecked) {
  const checker = program.getTypeChecker();
  /** @type {TextLookup[]} */
  const found = [];

  /** @param {ts.Type} type @returns {boolean} */
  const isText = (type) => {
    const base = checker.getBaseConstraintOfType(type) ?? type;
    if (base.isUnion()) return base.types.some(isText);
    return (base.flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0;
  };
  /** @param {ts.Node} node */
  const isOffence = (node) => {
    if (ts.isElementAccessExpression(node)) return isText(checker.getTypeAtLocation(node.argumentExpression));
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
      return isText(checker.getTypeAtLocation(node.left));
    // `{ [name]: _, ...rest }` leaves an entry out and does not look at it.
    if (!ts.isBindingElement(node) || !node.propertyName || !ts.isComputedPropertyName(node.propertyName)) return false;
    return node.name.getText() !== '_' && isText(checker.getTypeAtLocation(node.propertyName.expression));
  };
  /** @param {ts.SourceFile} source */
  const search = (source) => {
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (isOffence(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ file: source.fileName, line: line + 1, text: node.getText().replace(/\s+/g, ' ') });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  };

  for (const source of program.getSourceFiles()) if (isChecked(source.fileName)) search(source);
  return found;
}
