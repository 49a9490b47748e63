/** The id of the button that opens the checkpoints, by which the key's handler finds it. */
export const CHECKPOINTS = 'checkpoints';
