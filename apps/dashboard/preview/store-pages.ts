import type { PageRow, Places } from './page-row.ts';
import { ABSENT_STORE, COMMON, FOR_ALL, NO_CODE, NO_FILTER, NO_LIST, NO_NAMES, why } from './page-row.ts';

/** Pages of stores, and of the reader. */

export type StorePage = 'stores' | 'store' | 'methods' | 'brand' | 'keys' | 'start';

export function storePages({ base, newBase, stores }: Places): Record<StorePage, PageRow> {
  const of = (store: string, page = '') => ({ path: `${base}/stores/${store}${page}` });
  const pageOf = (page: string) => ({
    ...COMMON,
    filtered: NO_FILTER,
    missing: of(ABSENT_STORE, page),
    test: of(stores.test, page),
    long: of(stores.long, page),
  });
  return {
    stores: {
      path: `${base}/stores`,
      states: {
        ...COMMON,
        empty: { path: `${newBase}/stores`, who: 'newcomer' },
        filtered: NO_FILTER,
        refused: FOR_ALL,
        missing: NO_CODE,
        test: why('Test stores stand among the others, with their word.'),
        long: why('The main picture has the long name.'),
      },
    },
    store: {
      ...of(stores.bean),
      states: { ...pageOf(''), empty: NO_LIST, refused: why('Every role may see it; who may not change it reads it.') },
    },
    methods: {
      ...of(stores.coffee, '/methods'),
      states: { ...pageOf('/methods'), empty: of(stores.bare, '/methods'), refused: { who: 'viewer' } },
    },
    brand: {
      ...of(stores.bean, '/brand'),
      states: {
        ...pageOf('/brand'),
        empty: of(stores.bare, '/brand'),
        refused: why('Every role may see it; who may not change it reads it.'),
      },
    },
    keys: {
      ...of(stores.wholesale, '/keys'),
      states: { ...pageOf('/keys'), empty: why('A store is made with a key.'), refused: { who: 'viewer' } },
    },
    start: {
      ...of(stores.bare, '/start'),
      states: { ...pageOf('/start'), empty: why('The main picture is a store without a payment.'), refused: FOR_ALL },
    },
  };
}

export type PersonPage = 'security' | 'activity' | 'notifications';

export function personPages(): Record<PersonPage, PageRow> {
  const states = {
    ...COMMON,
    filtered: NO_FILTER,
    refused: why('The pages are about the reader alone.'),
    missing: NO_CODE,
    test: why('The pages are about the reader, not a store.'),
    long: NO_NAMES,
  };
  return {
    security: { path: '/me/security', states: { ...states, empty: { who: 'developer' } } },
    activity: { path: '/me/activity', states: { ...states, empty: { who: 'viewer' } } },
    notifications: {
      path: '/me/notifications',
      states: { ...states, empty: why('Who is a member of nothing sees one sentence, in the texts of the page.') },
    },
  };
}
