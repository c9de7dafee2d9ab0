import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TSType } from 'oxc-parser';
import { parseSync } from 'oxc-parser';

/**
 * Finds fields of a manifest that the API does not know, by the types of kubernetes-models. Its own validation passes
 * over such fields, and so does a cluster: what a misspelt field should have set is then not set, without a word.
 */

type Shape = {
  /** Fields of the interface; undefined for a type that has none, such as a quantity. */
  fields: Map<string, TSType | undefined> | undefined;
  /** Files of the types that the shape names. */
  files: Map<string, string>;
};

const MODELS = realpathSync(dirname(fileURLToPath(import.meta.resolve('kubernetes-models'))));

const shapes = new Map<string, Shape>();

function fileOf(specifier: string, from: string): string {
  const isOwn = specifier.startsWith('.');
  const path = isOwn ? join(dirname(from), specifier.replace(/\.js$/, '')) : join(dirname(MODELS), specifier);
  return `${path}.d.ts`;
}

function readShape(file: string): Shape {
  const { program } = parseSync(file, readFileSync(file, 'utf8'));
  const shape: Shape = { fields: undefined, files: new Map() };
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration')
      for (const { local } of statement.specifiers) shape.files.set(local.name, fileOf(statement.source.value, file));
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : undefined;
    if (declared?.type === 'TSInterfaceDeclaration')
      shape.fields = new Map(
        declared.body.body.flatMap((member) =>
          member.type === 'TSPropertySignature' && member.key.type === 'Literal'
            ? [[String(member.key.value), member.typeAnnotation?.typeAnnotation]]
            : [],
        ),
      );
  }
  return shape;
}

function shapeOf(file: string): Shape {
  const known = shapes.get(file) ?? readShape(file);
  shapes.set(file, known);
  return known;
}

function findInType(value: unknown, type: TSType | undefined, shape: Shape, path: string): string[] {
  if (type?.type === 'TSTypeLiteral') {
    const [signature] = type.members;
    if (signature?.type !== 'TSIndexSignature') return [];
    const of = signature.typeAnnotation.typeAnnotation;
    return Object.entries(value ?? {}).flatMap(([key, one]) => findInType(one, of, shape, `${path}.${key}`));
  }
  if (type?.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return [];
  if (type.typeName.name === 'Array') {
    const of = type.typeArguments?.params[0];
    return Array.isArray(value)
      ? value.flatMap((one: unknown, place) => findInType(one, of, shape, `${path}[${place}]`))
      : [];
  }
  const file = shape.files.get(type.typeName.name);
  return file === undefined ? [] : findInFile(value, file, path);
}

function findInFile(value: unknown, file: string, path: string): string[] {
  const shape = shapeOf(file);
  const { fields } = shape;
  if (!fields || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, one]) =>
    fields.has(field) ? findInType(one, fields.get(field), shape, `${path}.${field}`) : [`${path}.${field}`],
  );
}

type Named = { apiVersion: string; kind: string };

/** Paths of all fields of a manifest that its kind does not have. */
export function findUnknownFields(manifest: Named): string[] {
  return findInFile(manifest, join(MODELS, manifest.apiVersion, `${manifest.kind}.d.ts`), manifest.kind);
}
