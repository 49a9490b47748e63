import { hexRgb } from './scales';

/** A colour between two, both in hexadecimal digits. `mix`: how strong the second one is, 0 to 1. */
export const blend = (ground: string, ink: string, mix: number): string => {
  const over = hexRgb(ink);
  const mixed = hexRgb(ground).map((under, k) => Math.round(under * (1 - mix) + (over[k] ?? 0) * mix));
  return `#${mixed.map((one) => one.toString(16).padStart(2, '0')).join('')}`;
};
