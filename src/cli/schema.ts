/**
 * `lockstep schema`: the JSON Schema of the configuration, made from the schema that checks it, with the title and
 * description of each setting; with --report the schema of a report, with --bench that of a benchmark.
 */

import { toJsonSchema } from '@valibot/to-json-schema';
import { benchReportSchema } from '../protocol/bench-report';
import { configSchema, layerSchema } from '../protocol/config';
import { wordsOf } from '../protocol/words/words-of';
import { reportSchema } from '../reports/report-schema';
import type { SchemaName } from './usage';

type Json = Record<string, unknown>;

export function configJsonSchema(): Json {
  // `finite` has no counterpart, because all JSON numbers are finite.
  const converted = toJsonSchema(configSchema, {
    typeMode: 'input',
    // Layers contain layers, so their schema is defined once and referenced.
    definitions: { layer: layerSchema },
    overrideAction: ({ valibotAction, jsonSchema }) => (valibotAction.type === 'finite' ? jsonSchema : undefined),
  });
  const schema = annotate(structuredClone(converted) as Json, '');
  const definitions = isJson(schema['$defs']) ? schema['$defs'] : {};
  if (isJson(definitions['layer'])) annotate(definitions['layer'], 'model.layers');
  return { ...schema, title: 'Configuration of a Lockstep run' };
}

/** The schema of reports that `lockstep compare` and the page accept. */
export function reportJsonSchema(): Json {
  const converted = toJsonSchema(reportSchema, { typeMode: 'input' });
  return { ...(converted as Json), title: 'Report of a training run, for lockstep compare' };
}

/** The schema of the output of `lockstep bench`. */
const benchJsonSchema = (): Json => ({
  ...(toJsonSchema(benchReportSchema, { typeMode: 'input', ignoreActions: ['finite'] }) as Json),
  title: 'Report of lockstep bench',
});

export function jsonSchemaOf(name: SchemaName): Json {
  if (name === 'bench') return benchJsonSchema();
  return name === 'report' ? reportJsonSchema() : configJsonSchema();
}

/**
 * Adds title and description to every property, in place. The path of a variant's property names the variant:
 * 'optimizer.SGD.lr'.
 */
function annotate(schema: Json, path: string): Json {
  for (const variant of list(schema['anyOf'])) annotate(variant, join(path, variantName(variant)));
  for (const variant of list(schema['oneOf'])) annotate(variant, join(path, variantName(variant)));
  for (const inner of [schema['items'], schema['additionalProperties']]) if (isJson(inner)) annotate(inner, path);
  if (isJson(schema['properties'])) {
    for (const [name, property] of Object.entries(schema['properties'])) {
      if (!isJson(property)) continue;
      const full = join(path, name);
      const words = wordsOf(full);
      if (words) Object.assign(property, { title: words.title, description: words.description });
      annotate(property, full);
    }
  }
  return schema;
}

/** The value of the `type` literal that identifies a variant. */
function variantName(variant: Json): string {
  const properties = isJson(variant['properties']) ? variant['properties'] : {};
  const type = isJson(properties['type']) ? properties['type']['const'] : undefined;
  return typeof type === 'string' ? type : '';
}

const join = (path: string, name: string): string => [path, name].filter((part) => part !== '').join('.');
const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
