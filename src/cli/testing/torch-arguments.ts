/**
 * Matches every argument of torch's signatures (fixtures/torch-signatures.json) with our setting, for
 * docs/torch-arguments.md. An argument has a key in the schema, or has no meaning here, or is not built; a schema key
 * without an argument is our own. Called by the tests of that document.
 */
import { must } from '../../base/invariant';
import { lookup } from '../../base/lookup';
import { configJsonSchema } from '../schema';

export interface Signature {
  readonly name: string;
  /** The part of the schema with its settings: 'optimizer.SGD', 'layer.Linear', 'ddp'; '' for none. */
  readonly schema: string;
  readonly arguments: readonly string[];
  /** The first version of torch that has it. */
  readonly since?: string;
  /** Settings whose names are not the argument's in camelCase; a path that starts with / is from the top. */
  readonly keys?: Readonly<Record<string, string>>;
  readonly withoutMeaning?: Readonly<Record<string, string>>;
  readonly notBuilt?: Readonly<Record<string, string>>;
}

export interface Signatures {
  readonly torch: string;
  /** For arguments of many signatures: why they have no meaning here. */
  readonly common: Readonly<Record<string, string>>;
  /** Our own settings without an argument of torch, by the part of the schema. */
  readonly own: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly signatures: readonly Signature[];
}

export interface ArgumentRow {
  readonly argument: string;
  /** 'usual': without meaning here wherever it occurs. */
  readonly kind: 'setting' | 'without meaning' | 'usual' | 'not built';
  /** The settings for the argument, or why there are none. */
  readonly text: string;
}

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly const?: unknown;
}
const schema = configJsonSchema() as unknown as Node & { readonly $defs: Readonly<Record<string, Node>> };

const alternatives = (node: Node): readonly Node[] => {
  const inner = node.anyOf ?? node.oneOf;
  return inner ? inner.flatMap(alternatives) : [node];
};
const propertiesOf = (node: Node | undefined): Readonly<Record<string, Node>> => node?.properties ?? {};

/** The settings of a part, 'optimizer.SGD' or 'ddp'. */
export function settingsOf(part: string): readonly string[] {
  const path = part.split('.');
  let node: Node = path[0] === 'layer' ? must(lookup(schema.$defs, 'layer'), part) : schema;
  for (const name of path[0] === 'layer' ? path.slice(1) : path) {
    const variant = alternatives(node).find((each) => propertiesOf(each)['type']?.const === name);
    node = variant ?? must(lookup(propertiesOf(node), name), `${part}: ${name}`);
  }
  return Object.keys(propertiesOf(node)).filter((name) => name !== 'type');
}

/** The variants of a part: 'optimizer' has 'optimizer.SGD' ... */
export function variantsOf(part: string): readonly string[] {
  const node = part === 'layer' ? must(lookup(schema.$defs, 'layer'), part) : lookup(propertiesOf(schema), part);
  return alternatives(must(node, part)).map((each) => `${part}.${String(propertiesOf(each)['type']?.const)}`);
}

/** Whether a setting exists at this path from the top: 'ddp.samplerSeed'. */
export function isSetting(path: string): boolean {
  let node: Node | undefined = schema;
  for (const name of path.split('.')) node = lookup(propertiesOf(node), name);
  return node !== undefined;
}

const camel = (name: string): string => name.replace(/_([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
const USUAL: Readonly<Record<string, string>> = { betas: 'beta1, beta2', T_max: 'tMax', T_0: 't0', T_mult: 'tMult' };

/** The row of each argument; throws for an unknown argument. */
export function rowsOf({ common }: Signatures, signature: Signature): readonly ArgumentRow[] {
  const known = signature.schema === '' ? [] : settingsOf(signature.schema);
  return signature.arguments.map((argument) => {
    const notBuilt = lookup(signature.notBuilt ?? {}, argument);
    if (notBuilt !== undefined) return { argument, kind: 'not built', text: notBuilt };
    const none = lookup(signature.withoutMeaning ?? {}, argument);
    if (none !== undefined) return { argument, kind: 'without meaning', text: none };
    const key = lookup(signature.keys ?? {}, argument) ?? lookup(USUAL, argument) ?? camel(argument);
    if (key.startsWith('/')) return { argument, kind: 'setting', text: key.slice(1) };
    if (key.split(', ').every((each) => known.includes(each))) return { argument, kind: 'setting', text: key };
    return {
      argument,
      kind: 'without meaning',
      text: must(lookup(common, argument), `${signature.name}: ${argument}`),
    };
  });
}

/** Settings of a part that have no argument and are not listed as our own. */
export function unlisted(signatures: Signatures, part: string): readonly string[] {
  const given = signatures.signatures
    .filter(({ schema: of }) => of === part)
    .flatMap((signature) => rowsOf(signatures, signature))
    .flatMap(({ kind, text }) => (kind === 'setting' ? text.split(', ') : []));
  const own = [part, part.split('.')[0] ?? ''].flatMap((place) => Object.keys(lookup(signatures.own, place) ?? {}));
  return settingsOf(part).filter((name) => !given.includes(name) && !own.includes(name));
}

const cell = ({ kind, text }: ArgumentRow): string => {
  if (kind === 'setting')
    return text
      .split(', ')
      .map((name) => `\`${name}\``)
      .join(', ');
  return kind === 'not built' ? `**not built**: ${text}` : `no meaning here: ${text}`;
};

/** The tables of the document, one per signature. */
export const tablesText = (signatures: Signatures): string =>
  signatures.signatures
    .map((signature) => {
      const rows = rowsOf(signatures, signature);
      const usual = rows.filter(({ kind }) => kind === 'usual').map(({ argument }) => `\`${argument}\``);
      const lines = rows.filter(({ kind }) => kind !== 'usual').map((row) => `| \`${row.argument}\` | ${cell(row)} |`);
      return [
        `### ${signature.name}`,
        ...(signature.schema === '' ? [] : [`Settings: \`${signature.schema}\`.`]),
        ...(rows.length === 0 ? ['It has no arguments.'] : []),
        ...(lines.length === 0 ? [] : [`| argument | here |\n|---|---|\n${lines.join('\n')}`]),
        ...(usual.length === 0 ? [] : [`No meaning here: ${usual.join(', ')}.`]),
      ].join('\n\n');
    })
    .join('\n\n');

/** The table of arguments that have no meaning here wherever they occur. */
export const commonText = ({ common }: Signatures): string => {
  const lines = Object.entries(common).map(([argument, why]) => `| \`${argument}\` | ${why} |`);
  return `| argument | why |\n|---|---|\n${lines.join('\n')}`;
};

/** The table of our own settings. */
export const ownText = ({ own }: Signatures): string => {
  const lines = Object.entries(own).flatMap(([part, settings]) =>
    Object.entries(settings).map(([name, text]) => `| \`${part}\` | \`${name}\` | ${text} |`),
  );
  return `| part | setting | what it is in a script |\n|---|---|---|\n${lines.join('\n')}`;
};
