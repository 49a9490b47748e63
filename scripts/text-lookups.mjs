/**
 * Finds plain objects that are indexed with a text (`table[name]`, `name in table`, `const { [name]: value } = table`).
 * Such an index also finds entries that every object inherits, and writing `table['__proto__']` changes the prototype.
 * So names that come from users, files or tensors must go through `lookup` of src/base, or into a Map. Indexing with a
 * known set of words (`'a' | 'b'`) or with numbers is allowed. Run by types.mjs.
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
    // `{ [name]: _, ...rest }` only omits an entry; it does not read it.
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
