/** The text of a bucket cap in a field: "1 KiB", "25 MiB", "default"; a number without a unit is MiB. */
import { mebibytes } from '../permalink/permalink-codecs';

export const printCap = (value: unknown) => mebibytes.print(value).replace(/(KiB|MiB)$/, ' $1');
export const parseCap = (text: string) =>
  mebibytes.parse(text.replaceAll(' ', '').replace(/kib/i, 'KiB').replace(/mib/i, 'MiB'));
