/** Starts the Chromium that was found, always with the same options. */
import { chromium } from 'playwright-core';
import { chromiumFlags } from '../scripts/chromium.mjs';

/** @param {string} executablePath */
export const launcher = (executablePath) => () => chromium.launch({ executablePath, args: chromiumFlags });
