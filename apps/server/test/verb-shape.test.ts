import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'oxc-parser';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** Checks the shape of verbs by their declarations: `verb(context, actor, input)`. */

const SOURCE = join(import.meta.dirname, '../src');
const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && path.includes('/'))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

/** Files named like a verb that have another shape, with the reason. */
const OTHER_SHAPES: Record<string, string> = {
  'audit/record-audit.ts': 'writes in the transaction of the verb that it records',
  'doctor/check-rollback.ts': 'reads what a database has, whoever asks, and changes nothing',
  'doctor/raise-findings.ts': 'raises alarms in the name of the process, whoever asks',
  'doctor/run-doctor.ts': 'looks at an installation, whoever asks, and changes nothing',
  'merchants/require-merchant.ts': 'finds what a command names, whoever asks, and changes nothing',
  'people/apply-member-change.ts': 'is called by verbs inside their transaction',
  'people/cancel-requests.ts': 'is called by verbs inside their transaction',
  'people/require-person.ts': 'finds whom a command names, whoever asks, and changes nothing',
  'platforms/create-statement-sources.ts': 'makes adapters and does nothing with them',
  'secrets/read-chain-keys.ts': 'opens secrets with a ring that the caller holds',
  'secrets/start-audit-chain.ts': 'is called by verbs inside their transaction',
  'stores/store-for-key.ts': 'makes the reference that verbs take',
  'support/create-bundle.ts': 'looks at an installation, whoever asks, and changes nothing',
  'wallets/tune-gate.ts': 'is a part of the worker, which nobody asks to act',
};

const isFace = (path: string) => /^(api|checkout|dashboard|commands)\//.test(path);
const isBelowVerbs = (path: string) => /^(http|lib|db)\//.test(path) || path.endsWith('-sql.ts');
const faces = files
  .filter(({ path }) => isFace(path))
  .map(({ text }) => text)
  .join('\n');

const verbOf = (path: string) =>
  (path.split('/').at(-1) ?? '')
    .replace(/\.ts$/, '')
    .replaceAll(/-(.)/g, (_all, letter: string) => letter.toUpperCase());

/** The types of the parameters of the verb that a file is named after; undefined when it declares none. */
function parametersOf(path: string, text: string): string[] | undefined {
  const typeOf = (node: Node) =>
    'typeAnnotation' in node && node.typeAnnotation
      ? text.slice(node.typeAnnotation.start, node.typeAnnotation.end)
      : '';
  for (const statement of parseSync(path, text).program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
    if (declared?.type === 'FunctionDeclaration' && declared.id?.name === verbOf(path))
      return declared.params.map((parameter) => typeOf(parameter));
  }
  return undefined;
}

/** Whether a verb has a requester: it is audited, or a face calls it. */
const isAsked = (path: string, text: string) =>
  /\brecordAudit\(/.test(text) || new RegExp(`\\b(?:await|return) ${verbOf(path)}\\(`).test(faces);

test('a verb that is audited, or that a face calls, takes its context, its actor and its input, in this order', () => {
  const wrong = files.filter(({ path, text }) => {
    const types = isFace(path) || isBelowVerbs(path) ? undefined : parametersOf(path, text);
    if (!types || !isAsked(path, text)) return false;
    const [context = '', actor = '', ...input] = types;
    return !context.includes('Context') || !/\b(Actor|Operator|Person|Visitor)\b/.test(actor) || input.length > 1;
  });
  expect(wrong.map(({ path }) => path).toSorted()).toEqual(Object.keys(OTHER_SHAPES).toSorted());
});
