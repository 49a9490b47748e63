/**
 * Every setting of the schema by its place, which names the variants that contain it: 'optimizer.SGD.lr',
 * 'model.layers.Conv2d.kernel'. Layers inside layers are left out.
 */
import { configSchema } from '../../../protocol/config';

interface Schema {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly options?: readonly Schema[];
  readonly literal?: string;
}

function placesIn(schema: Schema, path: string): readonly string[] {
  if (schema.wrapped) return placesIn(schema.wrapped, path);
  if (schema.item) return placesIn(schema.item, path);
  if (schema.type === 'variant') return (schema.options ?? []).flatMap((option) => placesIn(option, path));
  const entries = Object.entries(schema.entries ?? {});
  const variant = schema.entries?.['type']?.literal;
  const within = [path, variant].filter(Boolean).join('.');
  return entries.flatMap(([name, inner]) => {
    const place = within === '' ? name : `${within}.${name}`;
    return name === 'type' ? [] : [place, ...placesIn(inner, place)];
  });
}

export const EVERY_SETTING: readonly string[] = placesIn(configSchema as unknown as Schema, '');
