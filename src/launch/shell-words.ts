/**
 * A command as a shell reads it: quotes, continued lines, comments, variables that are set before it. Enough for the
 * lines that start training; no pipes, no substitution. Called by parse-launch-line.ts.
 */

export interface Command {
  /** `NAME=value` before the command, and `export NAME=value` on lines before it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The program and its arguments. */
  readonly words: readonly string[];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** The words of one logical line. `$NAME` is replaced where its value is known, and stays as it is where not. */
function wordsOf(line: string, known: ReadonlyMap<string, string>): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < line.length; i++) {
    const c = line[i] ?? '';
    if (c === '$' && line[i + 1] === '(' && quote !== "'") {
      const end = closing(line, i + 1);
      word = (word ?? '') + line.slice(i, end);
      i = end - 1;
      continue;
    }
    if (c === '$' && quote !== "'") {
      const name = /^\$(?:(\w+)|\{(\w+)(?::-([^}]*))?\})/.exec(line.slice(i));
      if (name) {
        word = (word ?? '') + (known.get(name[1] ?? name[2] ?? '') ?? name[3] ?? name[0]);
        i += name[0].length - 1;
        continue;
      }
    }
    if (quote === '' && /\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === '' && c === '#' && word === undefined) break;
    else if (quote === '' && (c === '"' || c === "'")) {
      quote = c;
      word ??= '';
    } else if (c === quote) quote = '';
    else if (c === '\\' && quote !== "'") word = (word ?? '') + (line[++i] ?? '');
    else word = (word ?? '') + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/** Behind the parenthesis that closes the one at `open`. */
function closing(line: string, open: number): number {
  let depth = 0;
  for (let i = open; i < line.length; i++) {
    if (line[i] === '(') depth++;
    if (line[i] === ')' && --depth === 0) return i + 1;
  }
  return line.length;
}

/** The commands of a text, line by line. `known`: variables that something outside the text sets. */
export function commandsOf(text: string, known: Readonly<Record<string, string>> = {}): readonly Command[] {
  const set = new Map(Object.entries(known));
  const commands: Command[] = [];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    // A prompt that was copied along with the line.
    const words = wordsOf(line.replace(/^\s*[$>]\s+/, ''), set);
    const variables = new Map<string, string>();
    const exports = words[0] === 'export';
    if (exports || words[0] === 'env') words.shift();
    for (let match = ASSIGNMENT.exec(words[0] ?? ''); match; match = ASSIGNMENT.exec(words[0] ?? '')) {
      variables.set(match[1] ?? '', match[2] ?? '');
      words.shift();
    }
    // What a command would print is not known.
    for (const [name, value] of variables) if (value.includes('$(')) variables.delete(name);
    if (words.length === 0) for (const [name, value] of variables) set.set(name, value);
    else if (!exports) commands.push({ variables: Object.fromEntries([...set, ...variables]), words });
  }
  return commands;
}
