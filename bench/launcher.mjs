/** Starts the Chromium that was found, the same way each time. */
import { chromium } from 'playwright-core';
import { chromiumFlags } from '../scripts/chromium.mjs';

/** @param {string} executablePath */
export const launcher = (executablePath) => () => chromium.launch({ executablePath, args: chromiumFlags });
