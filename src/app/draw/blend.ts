/** A colour between two, both as #rrggbb. `mix`: how strong the second one is, 0 to 1. */
export const blend = (ground: string, ink: string, mix: number): string => {
  const channel = (hex: string, start: number) => Number.parseInt(hex.slice(start, start + 2), 16);
  const mixed = [1, 3, 5].map((start) => Math.round(channel(ground, start) * (1 - mix) + channel(ink, start) * mix));
  return `#${mixed.map((one) => one.toString(16).padStart(2, '0')).join('')}`;
};
