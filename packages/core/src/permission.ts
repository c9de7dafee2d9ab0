/** The permissions of members, by role. Permissions that are not in the table are refused. */

export const ROLES = ['owner', 'admin', 'developer', 'finance', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const isRole = (text: string): text is Role => ROLES.includes(text as Role);

/** How far a role may use a permission: for all stores, for test stores only, or not at all. */
export type Reach = 'all' | 'test' | 'none';
type Row = Readonly<Record<Role, Reach>>;

const row = (owner: Reach, admin: Reach, developer: Reach, finance: Reach, viewer: Reach): Row => ({
  owner,
  admin,
  developer,
  finance,
  viewer,
});

const PERMISSIONS = {
  'invoice.see': row('all', 'all', 'all', 'all', 'all'),
  'invoice.create': row('all', 'all', 'all', 'all', 'none'),
  'balance.see': row('all', 'all', 'none', 'all', 'none'),
  'export.see': row('all', 'all', 'none', 'all', 'none'),
  'export.make': row('all', 'all', 'none', 'all', 'none'),
  'transfer.attach': row('all', 'all', 'none', 'all', 'none'),
  'delivery.see': row('all', 'all', 'all', 'none', 'none'),
  'delivery.use': row('all', 'all', 'all', 'none', 'none'),
  'api_key.use': row('all', 'all', 'all', 'none', 'none'),
  'webhook_secret.use': row('all', 'all', 'all', 'none', 'none'),
  'store.change': row('all', 'all', 'test', 'none', 'none'),
  'method.see': row('all', 'all', 'all', 'all', 'none'),
  'method.change': row('all', 'all', 'test', 'none', 'none'),
  'method.lock': row('all', 'all', 'all', 'all', 'all'),
  'method.unlock': row('all', 'none', 'none', 'none', 'none'),
  'balance.top_up': row('all', 'all', 'none', 'all', 'none'),
  'team.see': row('all', 'all', 'none', 'none', 'none'),
  'team.change': row('all', 'all', 'none', 'none', 'none'),
  'team.require_two_factor': row('all', 'none', 'none', 'none', 'none'),
  'security.see': row('all', 'none', 'none', 'none', 'none'),
  'audit.see': row('all', 'all', 'none', 'all', 'none'),
  'merchant.close': row('all', 'none', 'none', 'none', 'none'),
} as const satisfies Record<string, Row>;

export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Roles and permissions come from rows and requests; unknown ones are refused. */
export function reachOf(role: string, permission: string): Reach {
  if (!Object.hasOwn(PERMISSIONS, permission)) return 'none';
  const reaches: Row = PERMISSIONS[permission as Permission];
  return Object.hasOwn(reaches, role) ? reaches[role as Role] : 'none';
}

/** Replaces the role during a support session: read-only access to everything. */
export const LOOKING = 'looking';
const SEEING = /\.see$/;

/** `live` is undefined for permissions of the merchant as a whole. */
export function isAllowed(role: string, permission: string, live?: boolean): boolean {
  if (role === LOOKING) return Object.hasOwn(PERMISSIONS, permission) && SEEING.test(permission);
  const reach = reachOf(role, permission);
  return reach === 'all' || (reach === 'test' && live === false);
}

/** An owner may grant, change and remove every role, an admin every role but owner; others none. */
export function mayGrant(own: string, other: Role): boolean {
  if (!isAllowed(own, 'team.change')) return false;
  return own === 'owner' || other !== 'owner';
}

/** Whether a new role allows less; null is no role. */
export function isDemotion(before: Role, after: Role | null): boolean {
  return after === null || ROLES.indexOf(after) > ROLES.indexOf(before);
}
