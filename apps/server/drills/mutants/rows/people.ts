import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in permissions, support sessions and exports. */
export const PEOPLE_MUTANTS: readonly Mutant[] = [
  {
    name: 'password-ends-lock-links',
    edits: [
      {
        file: 'src/people/link-sql.ts',
        find: "null and purpose in ('set-password', 'change-mail')`.execute",
        replace: 'null`.execute',
      },
    ],
    suite: 'test/dashboard/methods-lock.test.ts',
    title: 'still locks after the change took effect, and after the password was changed',
  },
  {
    name: 'view-in-other-session',
    edits: [
      {
        file: 'src/people/membership-sql.ts',
        find: ') and v.session_hash = ${sessionHash} and v.person_id',
        replace: ') and ${sessionHash}::bytea is not null and v.person_id',
      },
    ],
    suite: 'test/dashboard/operator-views.test.ts',
    title: 'sees nothing in another session of theirs',
  },
  {
    name: 'required-two-factor-not-asked',
    edits: [
      {
        file: 'src/people/membership-sql.ts',
        find: '  where m.person_id = ${personId} and ${HAS_ACCESS}\n',
        replace: '  where m.person_id = ${personId}\n',
      },
    ],
    suite: 'test/dashboard/required-two-factor.test.ts',
    title: 'without a method is refused every read and write with one code, and keeps the pages of their own account',
  },
  {
    name: 'view-after-its-hour',
    edits: [
      {
        file: 'src/people/membership-sql.ts',
        find: 'and v.ended_at is null and v.ends_at > ${now})`;',
        replace: 'and v.ended_at is null and ${now}::timestamptz is not null)`;',
      },
    ],
    suite: 'test/dashboard/operator-views.test.ts',
    title: 'sees nothing after an hour',
  },
  {
    name: 'view-without-factor',
    edits: [
      {
        file: 'src/people/begin-view.ts',
        find: "  if (!actor.hasFactor) throw new Refusal('FACTOR_NEEDED');\n",
        replace: '',
      },
    ],
    suite: 'test/dashboard/operator-views.test.ts',
    title: 'to an operator without a second factor',
  },
  {
    name: 'looking-may-change',
    edits: [
      {
        file: '../../packages/core/src/permission.ts',
        find: 'const SEEING = /\\.see$/;',
        replace: 'const SEEING = /\\./;',
      },
    ],
    suite: '../../packages/core/src/permission.test.ts',
    title: 'an operator who looks at a merchant may see everything, and do nothing',
  },
  {
    name: 'page-boundary-skipped',
    edits: [
      {
        file: 'src/exports/export-batches.ts',
        find: lines(
          "yield { text: taken.map((row) => writeInvoice(networks, store, row)).join(''), rows: taken.length };",
          '      after = page.at(-1)?.id ?? after;',
        ),
        replace: lines(
          "yield { text: taken.map((row) => writeInvoice(networks, store, row)).join(''), rows: taken.length };",
          '      after = (page.at(-1)?.id ?? after) + (page.length === pageRows ? 1n : 0n);',
        ),
      },
    ],
    suite: 'test/exports/exports.test.ts',
    title: 'of invoices has each invoice of the stores once, in exact numbers',
  },
  {
    name: 'expired-file-served',
    edits: [
      {
        file: 'src/exports/open-export.ts',
        find: 'expiresAt.getTime() <= clock.nowMs() || !sha256',
        replace: 'expiresAt.getTime() <= 0 || !sha256',
      },
    ],
    suite: 'test/exports/exports.test.ts',
    title: 'from its last second on it is gone, before and after it is deleted',
  },
  {
    name: 'expired-chunks-served',
    edits: [
      {
        file: 'src/exports/member-export-sql.ts',
        find: "'done' and e.expires_at > ${now} and c.number =",
        replace: "'done' and e.expires_at > ${new Date(Math.min(0, now.getTime()))} and c.number =",
      },
    ],
    suite: 'test/exports/exports.test.ts',
    title: 'a download that is under way then breaks off, although the rest is not deleted yet',
  },
  {
    name: 'earlier-try-writes',
    edits: [
      {
        file: 'src/exports/export-sql.ts',
        find: "where e.id = ${id} and e.tries = ${tries} and e.state = 'running' returning 1`.execute(queries);",
        replace: "where e.id = ${id} and e.tries >= ${tries} and e.state = 'running' returning 1`.execute(queries);",
      },
    ],
    suite: 'test/exports/exports.test.ts',
    title: 'that is made twice at once is whole, once: what the earlier try still writes is refused',
  },
  {
    name: 'export-scope-kept',
    edits: [
      {
        file: 'src/exports/export.ts',
        find: '? asked.storeIds : asked.storeIds.filter((id) => seen.has(id))',
        replace: '|| seen.size > 0 ? asked.storeIds : []',
      },
    ],
    suite: 'src/exports/export.test.ts',
    title: 'the scope is decided again when the file is made: a member who sees fewer stores than then',
  },
  {
    name: 'files-of-other-stores',
    edits: [
      {
        file: 'src/exports/member-export-sql.ts',
        find: 'or (not e.whole_merchant and e.store_ids <@ array',
        replace: 'or (not e.whole_merchant or e.store_ids <@ array',
      },
    ],
    suite: 'test/exports/exports.test.ts',
    title: 'sees no file that has rows of other stores, neither in the list nor by its code',
  },
  {
    name: 'home-mixes-modes',
    edits: [
      {
        file: 'src/home/read-home.ts',
        find: 'const shownStores = stores[input.mode];',
        replace: 'const shownStores = [...stores.live, ...stores.test];',
      },
    ],
    suite: 'test/dashboard/home-modes.test.ts',
    title:
      'figures, balances and what needs attention are those of live stores, or those of test stores, never of both',
  },
  {
    name: 'owners-removed-while-pending',
    edits: [
      {
        file: 'src/people/requested-change-sql.ts',
        find: 'and requested_by <> ${`person:${personCode}`}`.execute(tx);',
        replace: 'and requested_by = ${`person:${personCode}`}`.execute(tx);',
      },
    ],
    suite: 'test/dashboard/recent-owners.test.ts',
    title: 'no owner but its requester is removed or demoted, by anyone, and the refusal says until when',
  },
  {
    name: 'replaced-address-not-notified',
    edits: [
      {
        file: 'src/people/membership-sql.ts',
        find: 'c.done_at >= ${since} and c.replaced_shown is not null) a',
        replace: 'c.done_at < ${since} and c.replaced_shown is not null) a',
      },
    ],
    suite: 'test/dashboard/recent-owners.test.ts',
    title: 'is notified at an email address that was replaced in that time',
  },
  {
    name: 'disabled-person-keeps-links',
    edits: [
      {
        file: 'src/people/shut-out-sql.ts',
        find: 'where person_id = ${personId} and used_at is null and expires_at > ${at} returning 1',
        replace: 'where person_id = ${personId} and used_at is null and expires_at < ${at} returning 1',
      },
    ],
    suite: 'test/dashboard/shut-out.test.ts',
    title: 'is signed out everywhere, cannot sign in, and loses what was under way',
  },
];
