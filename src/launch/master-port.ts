/** The port at which ranks of several nodes meet. Separate from torchrun.ts, which the session does not need. */

/** Without the static rendezvous, MASTER_PORT is a free port that rank 0's machine picks; this port represents it. */
export const FREE_PORT = 40_001;
