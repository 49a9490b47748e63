/**
 * What a link says that cannot be used, as notices: each names the key and what is there, cut to a line; beyond a
 * handful only their number is given. permalink.ts collects them.
 */
import { brief } from '../../base/brief';
import type { Notice } from '../../protocol/notice';

export interface LinkNotices {
  /** A key or a value that is not understood. */
  refuse(key: string, text: string, why: string, hint: string): void;
  /** A key that is in the link several times. */
  repeated(key: string, times: number, counts: string): void;
  /** What the page made of the link. */
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
