/** The id of the button that opens the checkpoints, by which a key finds it. */
export const CHECKPOINTS = 'checkpoints';
