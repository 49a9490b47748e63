/** State shared by the parts of one transport: the command under way, and what it does with the cursor. */
export interface UnderWay {
  /** Every command of the user takes a new ticket; loops of an older one end. */
  ticket: number;
  /** The session runs freely. */
  free: boolean;
  /** The cursor is after everything that has run, and stays there when a new trace arrives, until the user moves it. */
  following: boolean;
  /** The page is replaying the first step, before Play. */
  previewing: boolean;
}
