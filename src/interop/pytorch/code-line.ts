/** Lines of a PyTorch script, with the anchors by which events of the trace find them. */
import type { CodeLine } from '../../protocol/trace';

export type { CodeLine } from '../../protocol/trace';

export const codeLine = (text: string, anchor = 'none'): CodeLine => ({ text, anchor });

export const codeLines = (...texts: readonly string[]): CodeLine[] => texts.map((text) => codeLine(text));
