import type { Permission, Role } from '@counterfoil/core/permission.ts';
import { isAllowed, mayGrant, reachOf, ROLES } from '@counterfoil/core/permission.ts';

/** Whether a role has a permission for a store; without `live` for the merchant as a whole. */
export const may = (role: Role, permission: Permission, live?: boolean): boolean => isAllowed(role, permission, live);

/** Roles with a permission for all stores. */
export const rolesWith = (permission: Permission): Role[] =>
  ROLES.filter((role) => reachOf(role, permission) === 'all');

/** Roles that a member with the role `own` may grant. */
export const grantableRoles = (own: Role): Role[] => ROLES.filter((role) => mayGrant(own, role));
