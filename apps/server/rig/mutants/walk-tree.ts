import type { Node } from 'oxc-parser';
import { visitorKeys } from 'oxc-parser';

/** Ways through a syntax tree, without types, which are erased before anything runs. */

type Children = Record<string, Node | null | undefined | readonly (Node | null)[]>;

const isType = ({ type }: Node) => type.startsWith('TSType') || type === 'TSInterfaceDeclaration';

function childrenOf(node: Node): Node[] {
  const fields = node as unknown as Children;
  return (visitorKeys[node.type] ?? [])
    .flatMap((key) => fields[key] ?? [])
    .filter((child): child is Node => child !== null && !isType(child));
}

/** Visits a node and everything below it; `parents` are its ancestors, nearest last. */
export function walkTree(
  node: Node,
  enter: (node: Node, parents: readonly Node[]) => void,
  parents: readonly Node[] = [],
): void {
  enter(node, parents);
  for (const child of childrenOf(node)) walkTree(child, enter, [...parents, node]);
}

/** Dotted name of an identifier or of members of one, such as `Math.min`; empty for anything else. */
export function dottedName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ChainExpression') return dottedName(node.expression);
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier') return '';
  const object = dottedName(node.object);
  return object === '' ? '' : `${object}.${node.property.name}`;
}
