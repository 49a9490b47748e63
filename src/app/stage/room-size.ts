/** The largest useful room; a single room may fill the stage. */
import type { Size } from '../draw/geometry';

export const largestRoom = (devices: number): Size =>
  devices === 1 ? { width: 860, height: 640 } : { width: 560, height: 480 };
