/** The machine and the date of a measurement. */
import { cpus, type as osType } from 'node:os';

export const machine = () => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${osType()}, ${cpus()[0]?.model.trim()}, ${cpus().length} cores`,
});
