/** The port at which ranks of several nodes meet. Apart from torchrun.ts, which the session does not need. */

/** Without the static rendezvous MASTER_PORT is a free port that rank 0's machine picks. This one stands for it. */
export const FREE_PORT = 40_001;
