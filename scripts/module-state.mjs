/**
 * Finds state at module level: a `let`, a collection that the module writes, an instance of one of our classes. Two
 * runs, two worlds and the stores of two pages can exist in one process, so state belongs to an object that its owner
 * creates and passes on. Tables that are filled once and then only read are allowed. The check does not find state in
 * the closure of a function that runs when the module loads. Run by types.mjs.
 */
import ts from 'typescript';

/** @typedef {{ readonly file: string, readonly line: number, readonly text: string }} ModuleState */

/** Loaded code belongs to the process, like an imported module: it contains nothing of a run. */
const FETCHED_CODE = 'src/base/part.ts';

const COLLECTIONS = /^(Map|Set|WeakMap|WeakSet|Array|DataView|ArrayBuffer|(Big)?(Int|Uint|Float)\d+(Clamped)?Array)$/;
const WRITES = /^(set[A-Z]?\w*|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin)$/;

/** @param {ts.SyntaxKind} kind */
const isAssignment = (kind) => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** @param {ts.Type} type @returns {boolean} */
const isError = (type) => type.symbol?.name === 'Error' || (type.getBaseTypes() ?? []).some(isError);

/** @param {ts.Expression | undefined} value nothing in it, so that it is there to be filled */
const isEmpty = (value) => {
  if (!value) return false;
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  return ts.isNewExpression(value) && (value.arguments ?? []).length === 0;
};

/**
 * The names that the file writes into: `name[i] = ...`, `name.set(...)`, `delete name[i]`.
 * @param {ts.SourceFile} source
 * @param {ts.TypeChecker} checker
 * @returns {ReadonlySet<ts.Symbol>}
 */
function writtenIn(source, checker) {
  /** @type {Set<ts.Symbol>} */
  const written = new Set();
  /** @param {ts.Expression} target */
  const note = (target) => {
    if (!ts.isElementAccessExpression(target) && !ts.isPropertyAccessExpression(target)) return;
    const symbol = ts.isIdentifier(target.expression) && checker.getSymbolAtLocation(target.expression);
    if (symbol) written.add(symbol);
  };
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) note(node.left);
    if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
      const changes = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator);
      if (changes) note(node.operand);
    }
    if (ts.isDeleteExpression(node)) note(node.expression);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
      if (WRITES.test(node.expression.name.text)) note(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return written;
}

/**
 * @param {ts.Program} program
 * @param {(file: string) => boolean} isChecked
 * @returns {ModuleState[]}
 */
export function moduleState(program, isChecked) {
  const checker = program.getTypeChecker();

  /** @param {ts.Type} type */
  const isOurs = (type) =>
    type.symbol?.declarations?.some((d) => {
      const { fileName } = d.getSourceFile();
      return ts.isClassDeclaration(d) && isChecked(fileName) && !fileName.endsWith(FETCHED_CODE);
    }) ?? false;

  /** @param {ts.VariableDeclaration | ts.PropertyDeclaration} declaration @param {ReadonlySet<ts.Symbol>} written */
  const keepsState = (declaration, written) => {
    const type = checker.getTypeAtLocation(declaration.name);
    const symbol = checker.getSymbolAtLocation(declaration.name);
    if (isOurs(type)) return !isError(type);
    if (symbol && written.has(symbol)) return true;
    return COLLECTIONS.test(type.symbol?.name ?? '') && isEmpty(declaration.initializer);
  };

  /** @param {ts.SourceFile} source @returns {ts.Node[]} */
  const found = (source) => {
    const written = writtenIn(source, checker);
    /** @param {ts.Statement} statement @returns {readonly ts.Node[]} */
    const foundIn = (statement) => {
      if (ts.isClassDeclaration(statement))
        return statement.members.filter(
          (member) =>
            ts.isPropertyDeclaration(member) &&
            (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0 &&
            ((ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Readonly) === 0 || keepsState(member, written)),
        );
      if (!ts.isVariableStatement(statement)) return [];
      const { declarationList } = statement;
      const isConst = (declarationList.flags & ts.NodeFlags.Const) !== 0;
      return declarationList.declarations.filter((declaration) => !isConst || keepsState(declaration, written));
    };
    return source.statements.flatMap(foundIn);
  };

  return program
    .getSourceFiles()
    .filter(({ fileName }) => isChecked(fileName))
    .flatMap((source) =>
      found(source).map((node) => ({
        file: source.fileName,
        line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
        text: node.getText().replace(/\s+/g, ' ').slice(0, 80),
      })),
    );
}
