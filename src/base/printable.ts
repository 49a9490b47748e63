/**
 * Makes text safe for a terminal: control characters (escape sequences, bells, backspaces) become a visible sign, so
 * that a name in a file cannot clear the reader's screen or set its title. Called by the commands that print the
 * contents of files.
 */

/** All control characters but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export const printable = (text: string): string => text.replace(OBEYED, '\ufffd');
