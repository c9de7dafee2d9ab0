import type { Node } from 'oxc-parser';
import type { Knowledge, KnownFile } from './flow.ts';
import { evaluate, findBinding, readProperty } from './flow.ts';
import type { Flow } from './kinds.ts';
import { join, kept, kindOf, NOTHING } from './kinds.ts';
import { bare, dotted, isFunction, keyName, lastName, walk } from './tree.ts';

/** Carries times through assignments, properties, arguments and results, until nothing new is found. */

const ROUNDS = 12;
const CALLBACKS = new Set('map flatMap forEach filter some every find findLast findIndex then reduce'.split(' '));

const isSame = (left: Flow, right: Flow) => left.sure === right.sure && left.given === right.given;

type Step = { knowledge: Knowledge; at: KnownFile; changed: () => void };

function addTo({ knowledge, at, changed }: Step, identifier: Node, flow: Flow): void {
  const binding = findBinding(knowledge, at, identifier);
  if (!binding) return;
  const value = join([binding.value, kept(flow)]);
  if (isSame(value, binding.value)) return;
  binding.value = value;
  changed();
}

function addProperty({ at, changed }: Step, name: string | undefined, flow: Flow): void {
  if (name === undefined || kindOf(flow) === 'none') return;
  const before = at.properties.get(name) ?? NOTHING;
  const value = join([before, kept(flow)]);
  if (isSame(value, before)) return;
  at.properties.set(name, value);
  changed();
}

/** Elements that are written out, of an array or of `Promise.all([...])`. */
function elementsOf(expression: Node): readonly (Node | null)[] | undefined {
  const node = bare(expression);
  if (node.type === 'ArrayExpression') return node.elements;
  const [first] = node.type === 'CallExpression' && dotted(node.callee) === 'Promise.all' ? node.arguments : [];
  return first && elementsOf(first);
}

function addPattern(step: Step, pattern: Node, flow: Flow, initial?: Node): void {
  const { knowledge, at } = step;
  if (pattern.type === 'Identifier') addTo(step, pattern, flow);
  if (pattern.type === 'AssignmentPattern')
    addPattern(step, pattern.left, join([flow, evaluate(knowledge, at, pattern.right)]));
  if (pattern.type === 'RestElement') addPattern(step, pattern.argument, flow);
  if (pattern.type === 'ArrayPattern') {
    const elements = initial && elementsOf(initial);
    for (const [place, element] of pattern.elements.entries()) {
      const one = elements?.[place];
      if (element) addPattern(step, element, elements ? (one ? evaluate(knowledge, at, one) : NOTHING) : flow);
    }
  }
  if (pattern.type !== 'ObjectPattern') return;
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') continue;
    const name = keyName(property.key, property.computed);
    addPattern(step, property.value, name === undefined ? NOTHING : readProperty(knowledge, at, name));
  }
}

function assign(step: Step, node: Extract<Node, { type: 'AssignmentExpression' }>): void {
  const flow = evaluate(step.knowledge, step.at, node.right);
  const { left } = node;
  if (left.type !== 'MemberExpression') return addPattern(step, left, flow, node.right);
  const name = keyName(left.property, left.computed);
  if (name === undefined) addTo(step, bare(left.object), flow);
  else addProperty(step, name, flow);
}

function passArguments(step: Step, node: Extract<Node, { type: 'CallExpression' }>): void {
  const { knowledge, at } = step;
  const callee = bare(node.callee);
  if (callee.type === 'Identifier') {
    const parameters = findBinding(knowledge, at, callee)?.declared?.params ?? [];
    for (const [place, argument] of node.arguments.entries()) {
      const kind = kindOf(evaluate(knowledge, at, argument));
      const parameter = parameters[place];
      if (parameter && kind !== 'none') addPattern(step, parameter, { sure: 'none', given: kind });
    }
  }
  if (callee.type !== 'MemberExpression') return;
  const method = lastName(callee);
  if (['push', 'unshift', 'add', 'set'].includes(method))
    addTo(step, bare(callee.object), join(node.arguments.map((one) => evaluate(knowledge, at, one))));
  const callback = node.arguments[0];
  if (!callback || !isFunction(callback) || !CALLBACKS.has(method)) return;
  const held = evaluate(knowledge, at, callee.object);
  for (const parameter of callback.params.slice(0, method === 'reduce' ? 2 : 1)) addPattern(step, parameter, held);
}

function addReturn({ knowledge, at, changed }: Step, node: Node, value: Node): void {
  if (!isFunction(node)) return;
  const before = knowledge.returns.get(node) ?? NOTHING;
  const flow = join([before, evaluate(knowledge, at, value)]);
  if (isSame(flow, before)) return;
  knowledge.returns.set(node, flow);
  changed();
}

function takeStep(step: Step, node: Node, parents: readonly Node[]): void {
  const { knowledge, at } = step;
  if (node.type === 'VariableDeclarator') {
    const loop = parents.at(-2);
    if (node.init) addPattern(step, node.id, evaluate(knowledge, at, node.init), node.init);
    else if (loop?.type === 'ForOfStatement') addPattern(step, node.id, evaluate(knowledge, at, loop.right));
  }
  if (node.type === 'AssignmentExpression') assign(step, node);
  if (node.type === 'Property' && parents.at(-1)?.type === 'ObjectExpression')
    addProperty(step, keyName(node.key, node.computed), evaluate(knowledge, at, node.value));
  if (node.type === 'CallExpression') passArguments(step, node);
  if (node.type === 'ReturnStatement' && node.argument) {
    const around = parents.findLast(isFunction);
    if (around) addReturn(step, around, node.argument);
  }
  if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement') addReturn(step, node, node.body);
}

const READS_CLOCK = /\bDate\b|\bperformance\b|\bhrtime\b|\buptime\b|\bnowMs\b/;

export function propagate({ files, returns }: Knowledge): void {
  const known = [...files.values()];
  const knowledge = { files, returns };
  /** A file's news concerns the files that it imports, by arguments, and those that import it, by results. */
  const neighbours = Map.groupBy(
    known.flatMap((at) => at.imports.flatMap((path) => [[at.file.path, path] as const, [path, at.file.path] as const])),
    ([path]) => path,
  );
  let waiting = new Set(known.filter(({ file }) => READS_CLOCK.test(file.text)).map(({ file }) => file.path));
  for (let round = 0; waiting.size > 0 && round < ROUNDS; round += 1) {
    const next = new Set<string>();
    for (const at of [...waiting].flatMap((path) => files.get(path) ?? [])) {
      const changed = () => {
        for (const path of [at.file.path, ...(neighbours.get(at.file.path) ?? []).map(([, other]) => other)])
          next.add(path);
      };
      walk(at.file.program, (node, parents) => takeStep({ knowledge, at, changed }, node, parents));
    }
    waiting = next;
  }
}
