/** Clipping and schedules in whole runs on the CPU device. */
import { clipScheduleSuite } from '../testing/clip-schedule-suite';

clipScheduleSuite('cpu', () => undefined);
