/**
 * The rooms of every operator, in each size that the page gives them: no text covers another, is cut or too small, and
 * no room is nearly empty. If LOCKSTEP_ROOMS names a folder, as in `npm run gallery -- rooms`, the test writes the
 * pictures there for inspection.
 *
 * @module-tag rest: pictures.test.ts draws the picture of every operator, and fits.test.ts paints the rooms of steps.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ThemeName } from '../../draw/theme-sheet';
import {
  createRoomPictures,
  faultsOfRoom,
  filled,
  PLACES,
  type PlaceName,
  RUN_NAMES,
  svgOfRoom,
} from '../testing/room-pictures';

const folder = process.env['LOCKSTEP_ROOMS'];
const roomPictures = createRoomPictures();
const NAMES = Object.keys(PLACES) as readonly PlaceName[];
const THEMES: readonly ThemeName[] = ['light', 'dark'];

for (const at of NAMES)
  describe(at, { tags: ['ddp', 'pipeline'] }, () => {
    test.each(RUN_NAMES)('%s', async (run) => {
      const faults: string[] = [];
      for (const picture of await roomPictures(run, at)) {
        if (folder !== undefined)
          for (const theme of THEMES)
            writeFileSync(
              path.join(folder, `${[at, theme, picture.name].join(' ').replaceAll(/[^\w]+/g, '-')}.svg`),
              svgOfRoom(picture, theme),
            );
        const share = filled(picture);
        faults.push(...faultsOfRoom(picture).map((fault) => `${picture.name}: ${fault}`));
        if (share < 0.3) faults.push(`${picture.name}: ${Math.round(100 * share)} % of the room is used`);
      }
      expect(faults).toEqual([]);
    });
  });
