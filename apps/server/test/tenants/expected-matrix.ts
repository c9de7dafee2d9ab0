/**
 * Who may call which route of the dashboard, written by hand from what was agreed and not derived from the code. A letter
 * for each actor, in the order of `ACTORS`:
 * y answered, and what the route changes is changed; f a member without the permission; n as if nothing were there;
 * s not signed in.
 */
export const ACTORS = [
  'owner',
  'admin',
  'developer',
  'finance',
  'viewer',
  'another owner',
  'operator',
  'support',
  'nobody',
  'expired session',
] as const;
export type ActorName = (typeof ACTORS)[number];

export const EXPECTED: Readonly<Record<string, string>> = {
  'POST /session': 'yyyyyyyyyy',
  'POST /session/factor': 'ssssssssss',
  'POST /session/step-up': 'yyyyyyyyss',
  'DELETE /session': 'yyyyyyyyyy',
  'POST /reset': 'bbbbbbbbbb',
  'POST /session/passkey/options': 'yyyyyyyyyy',
  'POST /session/passkey/verify': 'ssssssssss',
  'POST /session/step-up/options': 'yyyyyyyyss',
  'POST /session/step-up/verify': 'ssssssssss',
  'POST /me/passkeys/options': 'yyyyyyyyss',
  'POST /me/passkeys/verify': 'ssssssssss',
  'GET /me/passkeys': 'yyyyyyyyss',
  'DELETE /me/passkeys/:passkey': 'nnnnnnnnss',
  'GET /me': 'yyyyyyyyss',
  'GET /me/sessions': 'yyyyyyyyss',
  'DELETE /me/sessions/:session': 'nnnnnnnnss',
  'POST /me/totp': 'yyyyyyyyss',
  'POST /me/totp/confirm': 'ccccccccss',
  'DELETE /me/totp': 'ccccccccss',
  'POST /me/recovery-codes': 'ffffffffss',
  'POST /me/password': 'yyyyyyyyss',
  'GET /accounts/:account/stores': 'yyyyynnnss',
  'GET /accounts/:account/stores/:store': 'yyyyynnnss',
  'GET /accounts/:account/team': 'yyfffnnnss',
  'POST /accounts/:account/team/invitations': 'yyfffnnnss',
  'DELETE /accounts/:account/team/invitations/:invitation': 'yyfffnnnss',
  'PATCH /accounts/:account/team/:person': 'yyfffnnnss',
  'DELETE /accounts/:account/team/:person': 'yyfffnnnss',
  'GET /invitations/:token': 'yyyyyyyyyy',
  'POST /invitations/:token/new': 'yyyyyyyyyy',
  'POST /invitations/:token': 'ffffffffss',
};
