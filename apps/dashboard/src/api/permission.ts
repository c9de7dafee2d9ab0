import { PERMISSIONS, ROLES } from '../generated/server-facts.ts';

export type Permission = keyof typeof PERMISSIONS;
export type Role = (typeof ROLES)[number];
export type Reach = 'all' | 'test' | 'none';

export const reachOf = (role: Role, permission: Permission): Reach => PERMISSIONS[permission][role];

/** Whether a role has a permission for a store; without `live` for the merchant as a whole. */
export function may(role: Role, permission: Permission, live?: boolean): boolean {
  const reach = reachOf(role, permission);
  return reach === 'all' || (reach === 'test' && live === false);
}

/** Roles with a permission for all stores. */
export const rolesWith = (permission: Permission): Role[] =>
  ROLES.filter((role) => reachOf(role, permission) === 'all');

/** Roles that a member may grant: only owners grant owner. */
export const grantableRoles = (own: Role): Role[] =>
  may(own, 'team.change') ? ROLES.filter((role) => own === 'owner' || role !== 'owner') : [];
