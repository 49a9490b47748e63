/** What the parts of one transport know of each other: which command is under way, and how far it leaves the cursor. */
export interface UnderWay {
  /** Every command of the user takes a new ticket; loops of an older one end. */
  ticket: number;
  /** The session runs freely. */
  free: boolean;
  /** The cursor is after everything that has run, and stays there when a new trace arrives, until the user moves it. */
  following: boolean;
  /** The first step is being walked over, before Play. */
  previewing: boolean;
}
