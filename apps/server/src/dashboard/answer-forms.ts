import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { ROLES } from '@counterfoil/core/permission.ts';
import { z } from 'zod';
import { OPERATOR_ROLES } from '../people/person.ts';
import { SECURITY_EVENT_KINDS } from '../people/security-event.ts';
import { seconds } from './answer-parts.ts';
import { STORE_FORMS } from './store-forms.ts';
import { INVOICE_FORMS } from './invoice-forms.ts';
import { BALANCE_FORMS } from './balance-forms.ts';
import { EXPORT_FORMS } from './export-forms.ts';
import { HOME_FORMS } from './home-forms.ts';
import { DELIVERY_FORMS } from './delivery-forms.ts';
import { ENDPOINT_FORMS } from './endpoint-forms.ts';
import { UNMATCHED_FORMS } from './unmatched-forms.ts';

const role = z.enum(ROLES);
const mail = z.string().describe('A mail address');
const next = z.strictObject({
  next: z.enum(['done', 'factor']).describe('Whether a second factor is still to be given'),
});
const ownMethods = z
  .strictObject({ totp: z.boolean(), passkey: z.boolean(), recovery: z.boolean() })
  .describe('With what a sign-in that waits for a second factor can be completed');
const recoveryCodes = z.strictObject({
  recovery_codes: z.array(z.string()).describe('Shown this once; empty when the user keeps the present ones'),
});
const passkeyOptions = z
  .looseObject({ challenge: z.string() })
  .describe('Options for the browser, as WebAuthn has them');

const me = z.strictObject({
  person: z.string(),
  name: z.string(),
  mail,
  language: z.enum(LANGUAGE_CODES),
  operator_role: z.enum(OPERATOR_ROLES).nullable(),
  has_factor: z.boolean(),
  has_totp: z.boolean().describe('Whether one of the factors is an authenticator app'),
  has_passkey: z.boolean(),
  recovery_codes_left: z.int(),
  recovery_codes_confirmed: z.boolean().describe('Whether the user has confirmed having saved them'),
  may_open_account: z.boolean().describe('Whether the user can open a business of their own'),
  elevated: z.boolean().describe('Whether this session has stepped up'),
  accounts: z.array(
    z.strictObject({
      account: z.string(),
      name: z.string(),
      role,
      waiting: z.boolean().describe('Whether live stores wait for approval by the operator'),
      locked: z.boolean().describe('Whether changes of payment methods are locked'),
      two_factor_required: z.boolean().describe('Whether only members with two-factor authentication have access'),
    }),
  ),
});

const sessions = z.strictObject({
  sessions: z.array(
    z.strictObject({
      session: z.string(),
      created_at: seconds,
      seen_at: seconds,
      address: z.string(),
      agent: z.string(),
      present: z.boolean().describe('Whether it is the session of this request'),
    }),
  ),
});

const securityEvent = z.strictObject({
  at: seconds,
  kind: z.enum(SECURITY_EVENT_KINDS),
  address: z.string(),
  agent: z.string(),
});
const nextEvents = z.string().nullable().describe('Where the next page begins');

const passkeys = z.strictObject({
  passkeys: z.array(
    z.strictObject({
      passkey: z.string(),
      name: z.string(),
      backed_up: z.boolean(),
      created_at: seconds,
      last_used_at: seconds.nullable(),
    }),
  ),
});

const mailState = z.enum(['queued', 'sent', 'failed', 'not_sent']).describe('What became of the mail');

const team = z.strictObject({
  two_factor_required: z.boolean().describe('Whether only members with two-factor authentication have access'),
  members: z.array(
    z.strictObject({
      person: z.string(),
      name: z.string(),
      mail,
      role,
      since: seconds,
      has_factor: z.boolean(),
    }),
  ),
  invitations: z.array(
    z.strictObject({
      invitation: z.string(),
      mail,
      role,
      created_at: seconds,
      expires_at: seconds,
      opened_at: seconds.nullable(),
      mail_state: mailState,
    }),
  ),
});

const methods = z.strictObject({
  locked_at: seconds.nullable(),
  locked_by: z.string().nullable().describe('The code of a person, or `operator`'),
  delay_hours: z.int(),
  methods: z.array(
    z.strictObject({
      network: z.string(),
      kind: z.enum(['wallet', 'exchange-account']),
      address: z.string(),
      added_at: seconds,
      health: z
        .strictObject({
          key_hint: z.string(),
          checked_at: seconds,
          key_expires_at: seconds.nullable(),
          fault: z.string().nullable().describe('Why payers are not offered it'),
          stopped_at: seconds.nullable(),
        })
        .nullable()
        .describe('How an exchange account is; null for a wallet'),
    }),
  ),
  changes: z.array(
    z.strictObject({
      change: z.string(),
      kind: z.enum(['wallet', 'exchange-account']),
      network: z.string(),
      address: z.string(),
      state: z.enum(['pending', 'applied', 'cancelled', 'locked', 'removed', 'failed']),
      requested_by: z.string(),
      requested_at: seconds,
      effective_at: seconds,
      decided_at: seconds.nullable(),
      fault: z.string().nullable(),
    }),
  ),
});
const locked = z.strictObject({ locked: z.boolean(), new: z.boolean().describe('Whether it was not locked before') });

const view = { view: z.string(), ends_at: seconds };

export const ANSWER_FORMS: Readonly<Record<string, z.ZodType>> = {
  ...INVOICE_FORMS,
  ...BALANCE_FORMS,
  ...EXPORT_FORMS,
  ...HOME_FORMS,
  'POST /session': next.extend({ methods: ownMethods }),
  'POST /me/passkeys/verify': recoveryCodes,
  'POST /session/factor': next,
  'POST /session/factor/options': passkeyOptions,
  'POST /session/passkey/options': passkeyOptions,
  'POST /session/passkey/verify': next,
  'POST /session/step-up/options': passkeyOptions,
  'POST /me/passkeys/options': passkeyOptions,
  'POST /undo': z.strictObject({
    mail: z.string(),
    totp: z.boolean(),
    passkey: z.boolean(),
    recovery: z.boolean(),
    effective_at: seconds.nullable(),
  }),
  'POST /undo/passkey/options': passkeyOptions,
  'POST /undo/request': z.strictObject({ effective_at: seconds }),
  'GET /registration': z.strictObject({ sign_up: z.boolean() }),
  'POST /accounts': z.strictObject({ account: z.string(), merchant_id: z.string() }),
  'GET /me': me,
  'GET /me/passkeys': passkeys,
  'GET /me/sessions': sessions,
  'GET /me/security-events': z.strictObject({ events: z.array(securityEvent), next: nextEvents }),
  'GET /accounts/:account/security-events': z.strictObject({
    events: z.array(securityEvent.extend({ person: z.string() })),
    next: nextEvents,
  }),
  'POST /me/totp': z.strictObject({
    secret: z.string(),
    address: z.string().describe('What the QR code for the app says'),
  }),
  'POST /me/totp/confirm': recoveryCodes,
  'POST /me/recovery-codes': recoveryCodes,
  ...STORE_FORMS,
  'GET /accounts/:account/stores/:store/methods': methods,
  'POST /accounts/:account/stores/:store/method-changes': z.strictObject({
    address: z.string(),
    change: z.string().nullable().describe('Null when it took effect at once'),
    effective_at: seconds.nullable(),
  }),
  'POST /accounts/:account/lock': locked,
  'POST /accounts/:account/unlock': z.strictObject({ locked: z.boolean() }),
  'POST /lock': locked,
  'GET /accounts/:account/team': team,
  'POST /accounts/:account/team/invitations': z.strictObject({
    invitation: z.string(),
    link: z.string(),
    mail_state: mailState,
  }),
  'POST /accounts/:account/team/:person/reset-factors': z.strictObject({ effective_at: seconds }),
  'POST /invitations/open': z.strictObject({
    account: z.string().describe('The name of the merchant'),
    mail,
    role,
    known: z
      .boolean()
      .nullable()
      .describe('Whether somebody with this mail address can sign in already; null unless the link came by mail'),
  }),
  ...DELIVERY_FORMS,
  ...ENDPOINT_FORMS,
  ...UNMATCHED_FORMS,
  'POST /operator/views': z.strictObject(view),
  'GET /operator/views': z.strictObject({
    views: z.array(z.strictObject({ ...view, account: z.string(), name: z.string(), reason: z.string() })),
  }),
};
