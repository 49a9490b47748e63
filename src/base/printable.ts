/**
 * Text for a terminal: signs that a terminal obeys (escape sequences, bells, backspaces) become a visible sign. A name
 * in a file may not clear the reader's screen or set its title. Called by the commands that print what a file says.
 */

/** All control characters but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export const printable = (text: string): string => text.replace(OBEYED, '\ufffd');
