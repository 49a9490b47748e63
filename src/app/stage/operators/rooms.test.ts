/**
 * The rooms of every operator, in each size that the page gives them: no text lies over another, none is cut or too
 * small, and no room is nearly empty. With LOCKSTEP_ROOMS (a folder, as `npm run gallery -- rooms` has it) the pictures
 * are written there, to be looked at.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { place } from '../../../../scripts/tier';
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

const QUICK: PlaceName = '8 ranks';
const REST = 'the same pictures are looked at for 8 ranks';

for (const at of NAMES)
  describe(at, place({ modes: ['ddp', 'pipeline'], rest: at === QUICK ? undefined : REST }), () => {
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
