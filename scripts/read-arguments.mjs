/**
 * Reads the command line of the scripts of package.json by a table of options. `--help` prints the usage from this
 * table. An unknown option or an extra word is refused in one line, which names the most similar option. Every script
 * calls this before packages are installed, so it uses only Node's own modules.
 */
import { parseArgs } from 'node:util';

/**
 * `value`: what the option takes, as the usage writes it; without one the option is a switch. `positive`: it must be a
 * number above 0.
 *
 * @typedef {{readonly value?: string, readonly default?: string, readonly positive?: boolean,
 *   readonly help: string}} Option
 */

/**
 * @template {Record<string, Option>} O
 * @typedef {{readonly [K in keyof O]: O[K] extends {default: string} ? string
 *   : O[K] extends {value: string} ? string | undefined : boolean}} Values
 */

const WIDTH = 96;

/**
 * Ends the process if the usage is asked for (status 0) or the command line is wrong (status 2).
 *
 * @template {Record<string, Option>} [O={}]
 * @param {{command: string, about: string, options?: O, words?: string, passesOnTo?: string}} table
 *   `command`: as it is typed, `npm run fuzz --`. `words`: a name, a colon and what such words mean; without it none
 *   are expected. `passesOnTo`: the tool that takes all arguments but a lone --help.
 * @param {readonly string[]} [args]
 * @returns {{values: Values<O>, words: readonly string[]}}
 */
export function readArguments(table, args = process.argv.slice(2)) {
  if (isHelp(args[0]) || (table.passesOnTo === undefined && args.some(isHelp))) {
    console.log(usage(table));
    process.exit(0);
  }
  const { options = /** @type {O} */ ({}) } = table;
  const nothing = { values: /** @type {Values<O>} */ ({}), words: args };
  if (table.passesOnTo !== undefined) return nothing;
  const { tokens, values, positionals } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(options).map(([name, option]) => [name, { type: option.value ? 'string' : 'boolean' }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const complaint = complaintOf(table, tokens);
  if (complaint !== undefined) {
    console.error(`${complaint} ${table.command} --help lists the options.`);
    process.exit(2);
  }
  const read = Object.entries(options).map(([name, option]) => [
    name,
    values[name] ?? (option.value === undefined ? false : option.default),
  ]);
  return { values: Object.fromEntries(read), words: positionals };
}

/** @param {string | undefined} word */
const isHelp = (word) => word === '--help' || word === '-h';

/**
 * @param {{options?: Record<string, Option>, words?: string}} table
 * @param {readonly {kind: string, name?: string, rawName?: string, value?: string | boolean | undefined}[]} tokens
 * @returns {string | undefined}
 */
function complaintOf({ options = {}, words }, tokens) {
  for (const { kind, name = '', rawName = '', value } of tokens) {
    if (kind === 'positional' && words === undefined) return `"${value}" is given, and no word is expected.`;
    if (kind !== 'option') continue;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) {
      const near = nearest(name, Object.keys(options));
      return `There is no option ${rawName}${near === undefined ? '.' : `; did you mean --${near}?`}`;
    }
    if (option.value !== undefined && typeof value !== 'string') return `--${name} needs a value: ${option.value}.`;
    if (option.value === undefined && value !== undefined) return `--${name} takes no value, not "${value}".`;
    if (option.positive && !(Number(value) > 0)) return `--${name} must be a number above 0, not "${value}".`;
  }
  return undefined;
}

/**
 * The option that begins like the name, or differs by the fewest letters, at most half of them.
 *
 * @param {string} name
 * @param {readonly string[]} known
 */
export function nearest(name, known) {
  const close = known
    .map((other) => ({ other, away: other.startsWith(name) || name.startsWith(other) ? 0 : edits(name, other) }))
    .filter(({ away }) => away <= name.length / 2)
    .sort((a, b) => a.away - b.away);
  return close[0]?.other;
}

/**
 * The number of letters to insert, remove or replace.
 *
 * @param {string} a
 * @param {string} b
 */
function edits(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (const [j, diagonal] of row.slice(0, -1).entries())
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, diagonal + Number(a[i - 1] !== b[j])));
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * @param {{command: string, about: string, options?: Record<string, Option>, words?: string,
 *   passesOnTo?: string}} table
 */
function usage({ command, about, options = {}, words, passesOnTo }) {
  const rows = Object.entries({ ...options, help: { help: 'Print this text.' } }).map(
    /** @returns {[string, string]} */ ([name, option]) => {
      const { value, default: otherwise, help } = /** @type {Option} */ (option);
      return [`--${name}${value ? ` ${value}` : ''}`, otherwise ? `${help} Default: ${otherwise}.` : help];
    },
  );
  const column = Math.max(...rows.map(([name]) => name.length)) + 4;
  const list = rows.map(([name, help]) => `  ${name.padEnd(column - 2)}${folded(help, column)}`);
  const more = passesOnTo === undefined ? '' : `\nAll other arguments go to ${passesOnTo}.\n`;
  const rest = words === undefined ? '' : ` [${words.split(':')[0]}]`;
  const meaning = words === undefined ? '' : `\n${folded(words, 0)}\n`;
  const typed = passesOnTo === undefined ? ' [OPTIONS]' : ' [ARGUMENTS]';
  return `Usage: ${command}${typed}${rest}\n\n${folded(about, 0)}\n${meaning}${more}\nOptions:\n${list.join('\n')}`;
}

/**
 * Lines of at most WIDTH characters, each after the first indented.
 *
 * @param {string} text
 * @param {number} indent
 */
function folded(text, indent) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines[lines.length - 1] ?? '';
    if (line !== '' && indent + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}
