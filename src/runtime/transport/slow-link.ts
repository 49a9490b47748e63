/** A link that is slowed down for demonstration: its messages arrive late, but in order. Part of the transports. */
import { nowUs } from '../clock';
import { rest } from '../rest';

/** `sentUs`: when the message was sent. Calls `arrive` after the message has taken `factor` times as long. */
export type SlowLink = (sentUs: number, factor: number, arrive: () => void) => void;

export function createSlowLink(): SlowLink {
  let last: Promise<void> | undefined;
  return (sentUs, factor, arrive) => {
    const dueUs = (factor - 1) * Math.max(0, nowUs() - sentUs);
    last = (last ?? Promise.resolve()).then(() => rest(dueUs)).then(arrive);
  };
}
