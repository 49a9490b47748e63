/**
 * The commands in a text that was written for a shell. shell-quote reads quotes, escapes and operators; this module
 * adds continued lines, prompts, variables that are set before a command, and values that cannot be known (the output
 * of `$(...)`, unknown variables), which stay as written. Called by parse-launch-line.ts.
 */
import { type ParseEntry, parse } from 'shell-quote';
import { launchError } from './options';

export interface ShellCommand {
  /** `NAME=value` before the command, and `export NAME=value` on lines before it. */
  readonly variables: Readonly<Record<string, string>>;
  /** The program and its arguments. */
  readonly words: readonly string[];
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** Private characters around the number of a text that is hidden from shell-quote. */
const [OPEN, CLOSE] = ['\u{E000}', '\u{E001}'];

/** The words of each command in one logical line. `$NAME` is replaced if its value is known. */
function commandWords(line: string, known: ReadonlyMap<string, string>): readonly string[][] {
  const hidden: string[] = [];
  const hide = (text: string): string => `${OPEN}${hidden.push(text) - 1}${CLOSE}`;
  const shown = (word: string): string =>
    word.replace(new RegExp(`${OPEN}(\\d+)${CLOSE}`, 'g'), (_, index) => hidden[Number(index)] ?? '');
  const variable = (key: string): string => {
    const [, name = key, initial] = /^(\w+):-(.*)$/s.exec(key) ?? [];
    const braced = `\${${key}}`;
    // `$-` and the like need no braces.
    const isPlain = /^\w+$/.test(key) || (key.length === 1 && !line.includes(braced));
    return known.get(name) ?? initial ?? hide(isPlain ? `$${key}` : braced);
  };
  const commands: string[][] = [[]];
  // A redirection is followed by a file, which is not an argument.
  let redirected = false;
  for (const entry of entriesOf(withoutSubstitutions(line, hide), variable)) {
    if (typeof entry === 'object' && 'comment' in entry) break;
    if (typeof entry === 'object' && entry.op !== 'glob') {
      redirected = /[<>]/.test(entry.op);
      // `2>&1` and `2> file`: the number belongs to the redirection.
      if (redirected && /^\d$/.test(commands.at(-1)?.at(-1) ?? '')) commands.at(-1)?.pop();
      if (!redirected) commands.push([]);
    } else if (redirected) redirected = false;
    else commands.at(-1)?.push(shown(typeof entry === 'string' ? entry : entry.pattern));
  }
  return commands;
}

function entriesOf(line: string, variable: (key: string) => string): readonly ParseEntry[] {
  try {
    return parse(line, variable);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw launchError(`"${line.slice(0, 80)}" can't be read: ${reason}.`, 'Write the command as you would in bash.');
  }
}

/** Replaces `$(...)` by a number, and also a # within a word, which does not begin a comment. */
function withoutSubstitutions(line: string, hide: (text: string) => string): string {
  let text = '';
  for (let i = 0; i < line.length; i++) {
    const substitution = line.startsWith('$(', i) ? line.slice(i, closing(line, i + 1)) : undefined;
    const inWord = line[i] === '#' && /\S/.test(line[i - 1] ?? ' ');
    text += substitution !== undefined ? hide(substitution) : inWord ? hide('#') : (line[i] ?? '');
    i += (substitution?.length ?? 1) - 1;
  }
  return text;
}

/** The position after the parenthesis that closes the one at `open`. */
function closing(line: string, open: number): number {
  let depth = 0;
  for (let i = open; i < line.length; i++) {
    if (line[i] === '(') depth++;
    if (line[i] === ')' && --depth === 0) return i + 1;
  }
  return line.length;
}

/** The commands of a text, line by line. `known`: variables that are set outside the text. */
export function commandsOf(text: string, known: Readonly<Record<string, string>> = {}): readonly ShellCommand[] {
  const set = new Map(Object.entries(known));
  const commands: ShellCommand[] = [];
  for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    // A prompt that was copied along with the line.
    for (const words of commandWords(line.replace(/^\s*[$>]\s+/, ''), set)) {
      const variables = new Map<string, string>();
      const exports = words[0] === 'export';
      if (exports || words[0] === 'env') words.shift();
      for (let match = ASSIGNMENT.exec(words[0] ?? ''); match; match = ASSIGNMENT.exec(words[0] ?? '')) {
        variables.set(match[1] ?? '', match[2] ?? '');
        words.shift();
      }
      // The output of a command is not known.
      for (const [name, value] of variables) if (value.includes('$(')) variables.delete(name);
      if (words.length === 0) for (const [name, value] of variables) set.set(name, value);
      else if (!exports) commands.push({ variables: Object.fromEntries([...set, ...variables]), words });
    }
  }
  return commands;
}
