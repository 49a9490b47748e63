/** The machine and the date of a measurement, and how much other programs use the machine. */
import { cpus, loadavg, type as osType } from 'node:os';

export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${osType()}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores${load()}`,
});

/** A quiet machine has no load; a load of 4 on 2 cores may double all times. */
const [LOAD_AT_START = 0] = loadavg();
const load = () => (LOAD_AT_START < 1 ? '' : `, load ${LOAD_AT_START.toFixed(0)} at the start`);
