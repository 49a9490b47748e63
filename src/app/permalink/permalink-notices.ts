/**
 * Notices about the parts of a link that cannot be used: each names the key and its text, cut to a line; after the
 * first few, only their number is given. permalink.ts collects them.
 */
import { brief } from '../../base/brief';
import type { Notice } from '../../protocol/notice';

export interface LinkNotices {
  /** Adds a notice about a key or value that is not understood. */
  refuse(key: string, text: string, why: string, hint: string): void;
  /** Adds a notice about a key that is in the link several times. */
  repeated(key: string, times: number, counts: string): void;
  /** Adds a notice about how the page changed the link's run. */
  say(notice: Notice): void;
  all(): readonly Notice[];
}

const MOST_NOTICES = 8;
const KEY_CHARACTERS = 40;

export function createLinkNotices(): LinkNotices {
  const notices: Notice[] = [];
  let more = 0;
  const warn = (id: string, text: string, hint: string): void => {
    if (notices.length < MOST_NOTICES) notices.push({ level: 'warning', id, text, hint });
    else more += 1;
  };
  return {
    say: (notice) => void notices.push(notice),
    refuse(key, text, why, hint) {
      const name = brief(key, KEY_CHARACTERS);
      warn(`config-${name}`, `The link says ${name}=${brief(text)}: ${why}.`, hint);
    },
    repeated(key, times, counts) {
      const often = times === 2 ? 'twice' : `${times.toLocaleString('en')} times`;
      warn(`repeated-${key}`, `The link gives ${key} ${often}: the last one counts, ${key}=${brief(counts)}.`, '');
    },
    all() {
      if (more === 0) return notices;
      const text = `The link has ${more.toLocaleString('en')} more settings that cannot be used.`;
      return [...notices, { level: 'warning', id: 'config-more', text, hint: 'The link keeps them.' }];
    },
  };
}
