import type { CallExpression, Node, TemplateLiteral } from 'oxc-parser';
import { parseSync } from 'oxc-parser';
import { dottedName, walkTree } from './walk-tree.ts';
import type { Change, Mutation } from './mutation.ts';
import { describeMutated, lineAt } from './mutation.ts';
import { mutateSql, SQL_COMPARISONS } from './mutate-sql.ts';
import type { SqlPiece } from './sql-tokens.ts';

/** Mutations of one source file: statements, comparisons, awaits, and the SQL in its template strings. */

const COMPARISONS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
};
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+' };
const OPPOSITES: Readonly<Record<string, string>> = { 'Math.min': 'Math.max', 'Math.max': 'Math.min' };
/** Calls without effect on money: test failpoints, log lines, metrics, and the end of an alarm. They are not mutated. */
const IDLE_CALL = /(^|\.)(failpoint|count|log\.\w+|info|warn|error|endChainAlarm|setImmediate)$/;

/** The change of an operator that is written between two expressions. */
function betweenOperands(
  text: string,
  { left, right }: { left: Node; right: Node },
  operator: string,
  replacement: string,
  kind: Change['kind'],
): Change[] {
  const place = text.slice(left.end, right.start).indexOf(operator);
  if (place === -1) return [];
  const start = left.end + place;
  return [{ start, end: start + operator.length, replacement, kind }];
}

const isText = (node: Node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');

function mutateBinary(text: string, node: Node): Change[] {
  if (node.type === 'LogicalExpression' && node.operator !== '??')
    return betweenOperands(text, node, node.operator, node.operator === '&&' ? '||' : '&&', 'logic');
  if (node.type !== 'BinaryExpression') return [];
  const comparison = COMPARISONS[node.operator];
  if (comparison !== undefined) return betweenOperands(text, node, node.operator, comparison, 'comparison');
  const arithmetic = ARITHMETIC[node.operator];
  if (arithmetic === undefined || isText(node.left) || isText(node.right)) return [];
  return betweenOperands(text, node, node.operator, arithmetic, 'operator');
}

function calledName(node: Node): string {
  if (node.type === 'AwaitExpression') return calledName(node.argument);
  return node.type === 'CallExpression' ? dottedName(node.callee) : '';
}

/** Removes a statement that is only a call or an assignment, or the `await` of a call. */
function mutateStatement(node: Node): Change[] {
  if (node.type !== 'ExpressionStatement' || IDLE_CALL.test(calledName(node.expression))) return [];
  const { expression, start, end } = node;
  const isCall = expression.type === 'CallExpression' || expression.type === 'AwaitExpression';
  const isAssignment = expression.type === 'AssignmentExpression';
  const changes: Change[] = isCall || isAssignment ? [{ start, end, replacement: ';', kind: 'statement' }] : [];
  if (expression.type === 'AwaitExpression')
    changes.push({ start: expression.start, end: expression.argument.start, replacement: 'void ', kind: 'await' });
  return changes;
}

const LEAVES = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

/** Removes an early exit: an `if` that only returns, throws, continues or breaks. */
function mutateGuard(node: Node): Change[] {
  if (node.type !== 'IfStatement' || node.alternate) return [];
  const { consequent } = node;
  const last = consequent.type === 'BlockStatement' ? consequent.body.at(-1) : consequent;
  if (!last || !LEAVES.has(last.type)) return [];
  return [{ start: node.start, end: node.end, replacement: ';', kind: 'guard' }];
}

/** Conditions and locks of the query builder, and the larger or smaller of two numbers. */
function mutateCall(text: string, node: Node): Change[] {
  if (node.type !== 'CallExpression') return [];
  const opposite = OPPOSITES[dottedName(node.callee)];
  if (opposite !== undefined)
    return [{ start: node.callee.start, end: node.callee.end, replacement: opposite, kind: 'operator' }];
  if (node.callee.type !== 'MemberExpression' || node.callee.property.type !== 'Identifier') return [];
  const { property, object } = node.callee;
  const without = (kind: Change['kind']): Change => ({ start: object.end, end: node.end, replacement: '', kind });
  if (property.name === 'forUpdate') return [without('sql lock')];
  if (property.name === 'where') return [...mutateBuilt(node), without('sql condition')];
  if (property.name !== 'orderBy') return [];
  const [, direction] = node.arguments;
  if (!direction) return [{ start: node.end - 1, end: node.end - 1, replacement: `, 'desc'`, kind: 'sql order' }];
  const isDescending = text.slice(direction.start, direction.end) === `'desc'`;
  return [
    { start: direction.start, end: direction.end, replacement: isDescending ? `'asc'` : `'desc'`, kind: 'sql order' },
  ];
}

const BUILT: Readonly<Record<string, string>> = { ...SQL_COMPARISONS, is: 'is not', 'is not': 'is' };

function mutateBuilt({ arguments: [, operator] }: CallExpression): Change[] {
  if (operator?.type !== 'Literal' || typeof operator.value !== 'string') return [];
  const opposite = BUILT[operator.value];
  if (opposite === undefined) return [];
  return [{ start: operator.start, end: operator.end, replacement: `'${opposite}'`, kind: 'sql comparison' }];
}

function piecesOf(text: string, { quasis, expressions }: TemplateLiteral): SqlPiece[] {
  const pieces: SqlPiece[] = [];
  for (const [place, { start, value }] of quasis.entries()) {
    // The offsets of a piece may or may not include the mark before it.
    const own = text.startsWith(value.raw, start) ? start : start + 1;
    pieces.push({ kind: 'text', start: own, end: own + value.raw.length });
    if (expressions[place]) pieces.push({ kind: 'hole', start: own + value.raw.length, end: 0 });
  }
  return pieces.map(({ kind, start, end }, place) => ({
    kind,
    start,
    end: kind === 'hole' ? (pieces[place + 1]?.start ?? start) : end,
  }));
}

function mutateTemplate(text: string, node: Node): Change[] {
  if (node.type !== 'TaggedTemplateExpression' || dottedName(node.tag) !== 'sql') return [];
  return mutateSql(text, piecesOf(text, node.quasi));
}

function nameOfFunction(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') {
    if (node.id) return node.id.name;
  } else if (node.type !== 'ArrowFunctionExpression') return undefined;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (parent?.type === 'Property' && parent.key.type === 'Identifier') return parent.key.name;
  return undefined;
}

function functionsAround(node: Node, parents: readonly Node[]): string[] {
  const chain = [...parents, node];
  return chain.flatMap((one, place) => nameOfFunction(one, chain[place - 1]) ?? []).toReversed();
}

const isOfIdleCall = (parents: readonly Node[]) =>
  parents.some((one) => one.type === 'CallExpression' && IDLE_CALL.test(dottedName(one.callee)));
/** Words of errors and refusals are no decisions. */
const isOfError = (parents: readonly Node[]) =>
  parents.some((one) => one.type === 'NewExpression' && /Error|Refusal/.test(dottedName(one.callee)));

export function mutateCode(file: string, text: string): Mutation[] {
  const { program } = parseSync(file, text);
  const mutations: Mutation[] = [];
  walkTree(program, (node, parents) => {
    if (isOfIdleCall(parents) || isOfError(parents)) return;
    const changes = [
      ...mutateBinary(text, node),
      ...mutateStatement(node),
      ...mutateGuard(node),
      ...mutateCall(text, node),
      ...mutateTemplate(text, node),
    ];
    const functions = functionsAround(node, parents);
    for (const change of changes)
      mutations.push({
        ...change,
        file,
        line: lineAt(text, change.start),
        mutated: describeMutated(text, change),
        functions,
      });
  });
  return mutations;
}
