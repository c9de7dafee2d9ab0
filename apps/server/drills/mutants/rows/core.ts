import type { Mutant } from '../mutant.ts';

/** Planted bugs in the rules that the server, the checkout and the dashboard share. */
export const CORE_MUTANTS: readonly Mutant[] = [
  {
    name: 'unreadable-amount-is-zero',
    edits: [
      {
        file: '../../packages/core/src/amount.ts',
        find: '  if (units === undefined) throw new Error(`${text} is not an amount with at most ${decimals} decimals.`);\n  return units;',
        replace: '  return units ?? 0n;',
      },
    ],
    suite: '../../packages/core/src/amount.test.ts',
    title: 'a required decimal that cannot be parsed throws, and is never zero',
  },
  {
    name: 'evm-checksum-ignored',
    edits: [
      {
        file: '../../packages/core/src/address.ts',
        find: "text === checksumAddress(text) ? undefined : 'checksum'",
        replace: "checksumAddress(text) !== '' ? undefined : 'checksum'",
      },
    ],
    suite: 'test/sources/evm-addresses.test.ts',
    title: 'an EVM address is taken and written as others take and write it, whatever the case of its letters',
  },
  {
    name: 'methods-of-invoice-ignored',
    edits: [
      {
        file: 'src/invoices/decide-selection.ts',
        find: 'return methods === null || methods.includes(publicMethod(network, token));',
        replace: 'return methods === null || methods.length > publicMethod(network, token).length * 0;',
      },
    ],
    suite: 'src/invoices/decide-selection.test.ts',
    title: 'that the invoice does not name is not offered',
  },
  {
    name: 'position-of-wall-clock',
    edits: [
      {
        file: 'src/invoices/store-position-sql.ts',
        find: 'greatest(excluded.position, p.position + excluded.taken)',
        replace: 'excluded.position',
      },
    ],
    suite: 'test/merchant-api/list.test.ts',
    title: 'a clock that goes back gives no position twice',
  },
  {
    name: 'list-of-all-stores',
    edits: [
      {
        file: 'src/invoices/store-invoices-sql.ts',
        find: 'where i.store_id = ${storeId} and i.request_id = ${requestId}',
        replace: 'where ${storeId}::bigint is not null and i.request_id = ${requestId}',
      },
    ],
    suite: 'test/merchant-api/list.test.ts',
    title: 'request_id finds the invoice of an order, of its store only',
  },
  {
    name: 'topup-code-anywhere',
    edits: [
      { file: '../../packages/core/src/code.ts', find: '/^TOP-[A-Z0-9]{16}$/', replace: '/^T[A-Z]+-[A-Z0-9]{16}$/' },
    ],
    suite: '../../packages/core/src/code.test.ts',
    title: 'codes of top-ups and events have a form of their own',
  },
];
