import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import type { MethodView } from './checkout-view.ts';
import { icon, mark } from './icons.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import { rendered } from './rendered.ts';
import { duration } from './text.ts';

/** Longer lists can be searched, and every token folds. */
const OPEN_LIST_MAX = 6;
/** Up to this many, exchange accounts never fold: payers look for their exchange's name. */
const OPEN_EXCHANGE_MAX = 4;
const SHOWN_NETWORKS = 4;

type Group = { key: string; token: string; name: string; methods: MethodView[] };

const EXCHANGE = 'exchange';

/** Groups methods by token in the server's order, with exchange accounts as the first group. */
export function groupMethods(methods: MethodView[]): Group[] {
  const groups = new Map<string, Group>();
  for (const method of methods) {
    const key = method.family === EXCHANGE ? EXCHANGE : method.token;
    const group = groups.get(key) ?? { key, token: method.token, name: method.tokenName, methods: [] };
    group.methods.push(method);
    groups.set(key, group);
  }
  return [...groups.values()].toSorted((left, right) => Number(right.key === EXCHANGE) - Number(left.key === EXCHANGE));
}

/** Methods whose names contain every word of the query. */
export function searchMethods(methods: MethodView[], query: string): MethodView[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return methods.filter((method) => {
    const names = `${method.token} ${method.tokenName} ${method.networkName} ${method.network} ${method.standard}`;
    return wanted.every((word) => names.toLowerCase().includes(word));
  });
}

function hints({ words }: Page, method: MethodView): ComponentChildren {
  const time = words.text('about', { duration: duration(words, method.typicalSeconds) });
  return [h('span', null, words.text(`fee.${method.feeHint}`)), method.feeHint !== 'none' && h('span', null, time)];
}

type RowProps = { page: Page; method: MethodView };

function MethodRow({ page, method }: RowProps): JSX.Element {
  const { words } = page;
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!page.moment.busy) page.act.choose(method);
  };
  return h(
    'form',
    { method: 'post', action: page.paths.select, onSubmit },
    h('input', { type: 'hidden', name: 'token', value: method.token }),
    h('input', { type: 'hidden', name: 'network', value: method.network }),
    page.fixedLanguage && h('input', { type: 'hidden', name: 'lang', value: page.fixedLanguage }),
    h(
      'button',
      { class: 'method', 'aria-disabled': page.moment.busy ? 'true' : undefined },
      mark('network', method.network),
      h(
        'span',
        { class: 'method-names' },
        h(
          'span',
          { class: 'method-name' },
          h('bdi', null, method.networkName),
          method.standard !== '' && h('span', { class: 'standard' }, method.standard),
          method.lowestFee && h('span', { class: 'standard lowest' }, words.text('lowestFee')),
        ),
        h('span', { class: 'method-hint' }, hints(page, method)),
        method.state === 'behind' && h('span', { class: 'method-behind' }, words.text('behind')),
      ),
      icon('chevron'),
    ),
  );
}

/** Networks of a collapsed token: screen readers get all names, the page shows the first icons. */
function networksOf({ methods }: Group): JSX.Element {
  return h(
    'span',
    { class: 'networks' },
    h('span', { class: 'hidden' }, methods.map(({ networkName }) => networkName).join(', ')),
    methods.slice(0, SHOWN_NETWORKS).map(({ network }) => mark('network', network)),
    methods.length > SHOWN_NETWORKS &&
      h('span', { class: 'quiet small', 'aria-hidden': 'true' }, `+${String(methods.length - SHOWN_NETWORKS)}`),
  );
}

type GroupProps = { page: Page; group: Group; folded: boolean; open: boolean };

function MethodGroup({ page, group, folded, open }: GroupProps): JSX.Element {
  const { words } = page;
  const exchange = group.key === EXCHANGE;
  const folds = folded && !(exchange && group.methods.length <= OPEN_EXCHANGE_MAX);
  const platforms = new Set(group.methods.map(({ networkName }) => networkName));
  const title = [
    exchange ? icon('swap') : mark('token', group.token),
    h('strong', null, exchange ? words.text('exchangeGroup') : group.token),
    h(
      'span',
      { class: 'quiet group-name' },
      h('bdi', null, exchange ? folds && [...platforms].join(', ') : group.name),
    ),
  ];
  const rows = h(
    'ul',
    { class: 'methods' },
    group.methods.map((method) =>
      h('li', { key: `${method.token} ${method.network}` }, h(MethodRow, { page, method })),
    ),
  );
  if (!folds) return h('section', { class: 'group' }, h('h2', { class: 'group-title' }, ...title), rows);
  return h(
    'details',
    { class: 'group', open },
    h('summary', { class: 'group-title' }, ...title, !exchange && networksOf(group), icon('chevron')),
    rows,
  );
}

export function MethodList({ page }: { page: Page }): JSX.Element {
  const { view, words, moment, act } = page;
  const { query } = moment;
  const methods = view.methods.filter(({ refusal }) => refusal === null);
  const folded = methods.length > OPEN_LIST_MAX;
  const groups = groupMethods(searchMethods(methods, query));
  return h(
    'div',
    { class: 'choice' },
    moment.selectProblem && note('bad', moment.selectProblem),
    folded &&
      h(
        'label',
        { class: 'search scripted' },
        icon('search'),
        h('input', {
          type: 'search',
          'aria-label': words.text('searchLabel'),
          placeholder: words.text('searchLabel'),
          autocomplete: 'off',
          spellcheck: false,
          value: query,
          onInput: (event: Event) => act.search((event.target as HTMLInputElement).value),
        }),
      ),
    groups.map((group) =>
      h(MethodGroup, {
        key: group.key,
        page,
        group,
        folded,
        open: query !== '' || groups.length === 1,
      }),
    ),
    methods.length === 0 && note('plain', words.text('noMethods')),
    methods.length > 0 && groups.length === 0 && h('p', { class: 'quiet' }, words.say('searchNone', { query })),
    rendered('unavailable', view.unavailable),
  );
}
