/**
 * Text for a terminal: signs that a terminal obeys (escape sequences, bells, backspaces) become a visible sign. Names in
 * files are anybody's, and may not clear the screen or set the title of who reads them. Called by the commands that
 * print what a file says.
 */

/** All control characters but tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export const printable = (text: string): string => text.replace(OBEYED, '\ufffd');
