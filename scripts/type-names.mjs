/**
 * Finds exported types that have the same name in several files. A name says of what the type is (`GridCell`,
 * `ScheduleCell`), so a search finds one thing. A type that a file only re-exports counts once. Run by types.mjs.
 */
import ts from 'typescript';

/**
 * @param {readonly ts.SourceFile[]} sources
 * @returns {{ readonly name: string, readonly files: readonly string[] }[]}
 */
export function sharedTypeNames(sources) {
  /** @type {Map<string, string[]>} */
  const declaredIn = new Map();
  for (const source of sources)
    for (const statement of source.statements) {
      const declares =
        ts.isInterfaceDeclaration(statement) ||
        ts.isTypeAliasDeclaration(statement) ||
        ts.isClassDeclaration(statement);
      if (!declares || !statement.name) continue;
      if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
      const files = declaredIn.get(statement.name.text) ?? [];
      // An overload or a merged interface in the same file is the same type.
      if (!files.includes(source.fileName)) declaredIn.set(statement.name.text, [...files, source.fileName]);
    }
  return [...declaredIn].flatMap(([name, files]) => (files.length > 1 ? [{ name, files }] : []));
}
