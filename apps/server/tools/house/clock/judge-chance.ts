import type { Node } from 'oxc-parser';
import type { KnownFile } from './flow.ts';
import type { Fault } from './judge-time.ts';
import { bare, dotted, keyName, lastName, walk } from './tree.ts';

/** Finds values by chance that no seed repeats. */

/** The one module that seeds fast-check: tests that import `fc` from it run the same cases every time. */
const SEEDED_PROPERTIES = 'apps/server/rig/fakes/seeded-properties.ts';

const RUNS = new Set(['assert', 'check', 'sample', 'statistics']);
const DRAWS = /^random(Int|Bytes|UUID|FillSync)$/;

function draws(node: Node): boolean {
  let found = false;
  walk(node, (one) => {
    if (one.type === 'CallExpression' && DRAWS.test(lastName(one.callee))) found = true;
  });
  return found;
}

const hasSeed = (node: Node | undefined) =>
  node?.type === 'ObjectExpression' &&
  node.properties.some((one) => one.type === 'Property' && keyName(one.key, one.computed) === 'seed');

function judgeCall({ scopes }: KnownFile, node: Extract<Node, { type: 'CallExpression' }>): Fault[] {
  const callee = bare(node.callee);
  const name = lastName(callee);
  if (name === 'randomInt') return [{ node, rule: 'choice by chance: randomInt' }];
  if (/seed/i.test(name) && node.arguments.some(draws)) return [{ node, rule: 'choice by chance: random seed' }];
  if (callee.type !== 'MemberExpression' || !RUNS.has(name)) return [];
  const { from } = scopes.find(bare(callee.object))?.imported ?? {};
  const isUnseeded = from === 'fast-check' && !node.arguments.some(hasSeed);
  return isUnseeded ? [{ node, rule: `fast-check without a seed: import fc from ${SEEDED_PROPERTIES}` }] : [];
}

export function judgeChance(at: KnownFile, node: Node, parents: readonly Node[]): Fault[] {
  if (node.type === 'MemberExpression')
    return dotted(node) === 'Math.random' ? [{ node, rule: 'choice by chance: Math.random' }] : [];
  if (node.type === 'CallExpression') return judgeCall(at, node);
  if (node.type !== 'Property' || parents.at(-1)?.type !== 'ObjectExpression') return [];
  const isSeed = /seed$/i.test(keyName(node.key, node.computed) ?? '');
  return isSeed && draws(node.value) ? [{ node, rule: 'choice by chance: random seed' }] : [];
}
