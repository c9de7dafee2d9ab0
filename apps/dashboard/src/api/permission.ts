import { PERMISSIONS, ROLES } from '../generated/server-facts.ts';

/** What roles may do, by the server's own table. The server decides; pages only leave out what it would refuse. */

export type Permission = keyof typeof PERMISSIONS;
export type Role = (typeof ROLES)[number];
export type Reach = 'all' | 'test' | 'none';

export const reachOf = (role: Role, permission: Permission): Reach => PERMISSIONS[permission][role];

/** Whether a role may use a permission for a store; `live` is left out for what concerns the merchant as a whole. */
export function may(role: Role, permission: Permission, live?: boolean): boolean {
  const reach = reachOf(role, permission);
  return reach === 'all' || (reach === 'test' && live === false);
}

/** The roles that may use a permission everywhere. */
export const rolesWith = (permission: Permission): Role[] =>
  ROLES.filter((role) => reachOf(role, permission) === 'all');

/** The roles that a member may give to others: nobody but an owner makes owners. */
export const grantableRoles = (own: Role): Role[] =>
  may(own, 'team.change') ? ROLES.filter((role) => own === 'owner' || role !== 'owner') : [];
