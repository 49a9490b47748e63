/**
 * Notices about the parts of a link that cannot be used: each names the key and its text, cut to a line; after the
 * first few, only their number is given. A key is followed by the setting's name in configurations, in brackets, if the
 * two differ. permalink.ts collects the notices.
 */
import { brief } from '../../base/brief';
import { withSubject } from '../../base/with-subject';
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

/** `settingOf`: a setting's full name in configurations, by its key in links; undefined if it is no setting. */
export function createLinkNotices(settingOf: (key: string) => string | undefined): LinkNotices {
  const notices: Notice[] = [];
  let more = 0;
  const warn = (id: string, text: string, hint: string): void => {
    if (notices.length < MOST_NOTICES) notices.push({ level: 'warning', id, text, hint });
    else more += 1;
  };
  /** As in ' (worldSize)' after 'world'; the clause may name the setting, too. */
  const fullName = (key: string): string => {
    const setting = settingOf(key);
    return setting === undefined || setting === key ? '' : ` (${setting})`;
  };
  return {
    say: (notice) => void notices.push(notice),
    refuse(key, text, why, hint) {
      const name = brief(key, KEY_CHARACTERS);
      const clause = withSubject(settingOf(key) ?? name, why);
      const full = clause === why ? fullName(key) : '';
      warn(`config-${name}`, `The link says ${name}=${brief(text)}${full}, but ${clause}.`, hint);
    },
    repeated(key, times, counts) {
      const often = times === 2 ? 'twice' : `${times.toLocaleString('en')} times`;
      const given = `The link gives ${key}${fullName(key)} ${often}`;
      warn(`repeated-${key}`, `${given}: the last one counts, ${key}=${brief(counts)}.`, '');
    },
    all() {
      if (more === 0) return notices;
      const text = `The link has ${more.toLocaleString('en')} more settings that cannot be used.`;
      return [...notices, { level: 'warning', id: 'config-more', text, hint: 'The link keeps them.' }];
    },
  };
}
