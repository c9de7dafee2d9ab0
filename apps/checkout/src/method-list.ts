import type { JSX } from 'preact';
import { h } from 'preact';
import { useState } from 'preact/hooks';
import type { CheckoutView, MethodView, SelectionRefusalCode } from './checkout-view.ts';
import { icon, mark } from './icons.ts';
import type { Page } from './page.ts';
import { postJson } from './post-json.ts';
import type { PhraseKey } from './text.ts';
import { duration } from './text.ts';

/** Up to this many methods the list stands open; beyond, it can be searched and every token folds. */
const OPEN_LIST_MAX = 6;

const FEES = { 'very-low': 'feeVeryLow', low: 'feeLow', medium: 'feeMedium', high: 'feeHigh' } as const;

const UNAVAILABLE = {
  'below-minimum': 'unavailableBelowMinimum',
  'volatile-too-long': 'unavailableVolatile',
  'price-unavailable': 'unavailablePrice',
  'network-unavailable': 'unavailableNetwork',
} as const;

export const REFUSALS: Record<SelectionRefusalCode, PhraseKey> = {
  'not-waiting': 'refusedNotWaiting',
  closing: 'refusedClosing',
  'not-offered': 'refusedNotOffered',
  'below-minimum': 'refusedBelowMinimum',
  'volatile-too-long': 'refusedVolatile',
  'network-unavailable': 'refusedNetwork',
  'price-unavailable': 'refusedPrice',
  'too-many-quotes': 'refusedTooMany',
  'amounts-exhausted': 'refusedAmounts',
  'too-many-requests': 'refusedTooFast',
};

type Group = { key: string; token: string; name: string; methods: MethodView[] };

const EXCHANGE = 'exchange';

/** By token in the order of the server; exchange accounts first, as a group of their own. */
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

/** Every word typed stands somewhere in the names. */
export function searchMethods(methods: MethodView[], query: string): MethodView[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  return methods.filter((method) => {
    const names = `${method.token} ${method.tokenName} ${method.networkName} ${method.network} ${method.standard}`;
    return wanted.every((word) => names.toLowerCase().includes(word));
  });
}

function hints({ words }: Page, method: MethodView): string {
  if (method.family === EXCHANGE) return words.text('exchangeGroupHint');
  const time = words.text('about', { duration: duration(words, method.typicalSeconds) });
  return `${words.text(FEES[method.feeHint])} · ${time}`;
}

type RowProps = { page: Page; method: MethodView; busy: boolean; choose: (method: MethodView) => Promise<void> };

function MethodRow({ page, method, busy, choose }: RowProps): JSX.Element {
  const { words } = page;
  const exchange = method.family === EXCHANGE;
  const refusal = method.refusal ? UNAVAILABLE[method.refusal] : 'unavailableNetwork';
  const unavailable = method.state === 'unavailable' || method.refusal !== null;
  const inside = [
    mark(method.networkName, 'network'),
    h(
      'span',
      { class: 'method-names' },
      h(
        'span',
        { class: 'method-name' },
        h('bdi', null, exchange ? `${method.networkName} · ${method.token}` : method.networkName),
        method.standard !== '' && !exchange && h('span', { class: 'standard' }, method.standard),
      ),
      h('span', { class: 'method-hint' }, unavailable ? words.text(refusal) : hints(page, method)),
      method.state === 'behind' && !unavailable && h('span', { class: 'method-behind' }, words.text('behind')),
    ),
  ];
  if (unavailable) return h('div', { class: 'method is-unavailable' }, ...inside);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!busy) void choose(method);
  };
  return h(
    'form',
    { method: 'post', action: page.paths.select, onSubmit },
    h('input', { type: 'hidden', name: 'token', value: method.token }),
    h('input', { type: 'hidden', name: 'network', value: method.network }),
    page.fixedLanguage && h('input', { type: 'hidden', name: 'lang', value: page.fixedLanguage }),
    h('button', { class: 'method', 'aria-disabled': busy ? 'true' : undefined }, ...inside, icon('chevron')),
  );
}

type GroupProps = { page: Page; group: Group; folded: boolean; open: boolean } & Omit<RowProps, 'method' | 'page'>;

function MethodGroup({ page, group, folded, open, busy, choose }: GroupProps): JSX.Element {
  const { words } = page;
  const exchange = group.key === EXCHANGE;
  const title = [
    exchange ? icon('swap') : mark(group.token, 'token'),
    h('strong', null, exchange ? words.text('exchangeGroup') : group.token),
    !exchange && h('span', { class: 'quiet' }, h('bdi', null, group.name)),
  ];
  const rows = h(
    'ul',
    { class: 'methods' },
    group.methods.map((method) =>
      h('li', { key: `${method.token} ${method.network}` }, h(MethodRow, { page, method, busy, choose })),
    ),
  );
  if (!folded) return h('section', { class: 'group' }, h('h2', { class: 'group-title' }, ...title), rows);
  return h(
    'details',
    { class: 'group', open },
    h(
      'summary',
      { class: 'group-title' },
      ...title,
      h('span', { class: 'quiet group-count' }, words.say('networkCount', { count: group.methods.length })),
      icon('chevron'),
    ),
    rows,
  );
}

type SelectAnswer = { view?: CheckoutView; refusal?: SelectionRefusalCode };

type Props = { page: Page; refusal: SelectionRefusalCode | null };

export function MethodList({ page, refusal }: Props): JSX.Element {
  const { view, words } = page;
  const [query, setQuery] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<PhraseKey | null>(refusal && REFUSALS[refusal]);
  const choose = async ({ token, network }: MethodView) => {
    setBusy(true);
    setProblem(null);
    const answer = await postJson<SelectAnswer>(page.paths.select, { token, network });
    setBusy(false);
    if (answer?.view) return page.show(answer.view);
    const said = answer?.refusal ? REFUSALS[answer.refusal] : 'failedToReach';
    setProblem(said);
    page.announce(words.text(said));
  };
  const folded = view.methods.length > OPEN_LIST_MAX;
  const groups = groupMethods(searchMethods(view.methods, query));
  return h(
    'div',
    { class: 'choice' },
    problem && h('p', { class: 'note note-bad' }, icon('warning'), h('span', null, words.text(problem))),
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
          onInput: (event: Event) => setQuery((event.target as HTMLInputElement).value),
        }),
      ),
    groups.map((group) =>
      h(MethodGroup, {
        key: group.key,
        page,
        group,
        folded,
        open: query !== '' || groups.length === 1,
        busy,
        choose,
      }),
    ),
    view.methods.length === 0 && h('p', { class: 'note' }, words.text('noMethods')),
    view.methods.length > 0 && groups.length === 0 && h('p', { class: 'quiet' }, words.say('searchNone', { query })),
  );
}
