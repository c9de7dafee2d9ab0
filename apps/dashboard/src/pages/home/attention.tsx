import { toCents } from '@counterfoil/core/usd.ts';
import type { ReactNode } from 'react';
import type { Home } from '../../api/home-queries.ts';
import { networkOf } from '../../api/networks.ts';
import type { Store } from '../../api/queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useMoney } from '../../language/money.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import type { IconName } from '../../parts/icon.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PlaceLink } from '../../parts/place-link.tsx';

/** Items that need attention: what happened, what continues, and a link to the page that resolves it. */

type Item = {
  key: string;
  tone: 'warn' | 'bad';
  icon: IconName;
  title: string;
  about: string;
  action: string;
  path: string;
  search?: Record<string, string>;
};

type AttentionProps = { home: Home; account: string; stores: readonly Store[] };

/** Items about payments and failing webhooks. */
function useTradeItems({ home, account, stores }: AttentionProps): Item[] {
  const t = useWords();
  const moments = useMoments();
  const nameOf = (id: string) => stores.find((one) => one.merchant_id === id)?.name ?? id;
  const { failing_receivers: failing, unmatched_money: unmatched } = home.attention;
  const money: Item[] = unmatched
    ? [
        {
          key: 'unmatched',
          tone: 'warn',
          icon: 'inbox',
          title: t('attention.unmatched'),
          about: t('attention.unmatchedAbout'),
          action: t('attention.review'),
          path: `/m/${account}/unmatched`,
        },
      ]
    : [];
  const webhooks = (failing ?? []).map(({ merchant_id: store, host, since }): Item => ({
    key: `webhook ${store} ${host}`,
    tone: 'bad',
    icon: 'hook',
    title: t('attention.webhooks', { store: nameOf(store) }),
    about: t('attention.webhooksAbout', { host, time: moments.short(since) }),
    action: t('attention.look'),
    path: `/m/${account}/webhooks`,
    search: { store },
  }));
  return [...money, ...webhooks];
}

/** Items about receiving money: pending changes, and unusable exchange accounts. */
function useMethodItems({ home, account, stores }: AttentionProps): Item[] {
  const t = useWords();
  const moments = useMoments();
  const nameOf = (id: string) => stores.find((one) => one.merchant_id === id)?.name ?? id;
  const { waiting_methods: waiting, faulty_accounts: faulty } = home.attention;
  const changes = (waiting ?? []).map(({ merchant_id: store, network, effective_at: at }): Item => ({
    key: `method ${store} ${network} ${at}`,
    tone: 'warn',
    icon: 'lock',
    title: t('attention.method', { network: networkOf(network).name, left: moments.left(at, Date.now()) }),
    about: t('attention.methodAbout', { store: nameOf(store) }),
    action: t('attention.check'),
    path: `/m/${account}/stores/${store}/methods`,
  }));
  const accounts = (faulty ?? []).map(({ network, account: id, fault, stopped }): Item => ({
    key: `account ${network} ${id}`,
    tone: 'bad',
    icon: 'key',
    title: t('attention.account', { network: networkOf(network).name, id }),
    about: stopped
      ? t('attention.accountStopped')
      : fault === 'not-checked'
        ? t('attention.accountUnchecked')
        : t('attention.accountFault'),
    action: t('attention.check'),
    path: `/m/${account}/stores`,
  }));
  return [...changes, ...accounts];
}

/** Items about keys that end and low balances. */
function useStoreItems({ home, account, stores }: AttentionProps): Item[] {
  const t = useWords();
  const moments = useMoments();
  const { usd } = useMoney();
  const nameOf = (id: string) => stores.find((one) => one.merchant_id === id)?.name ?? id;
  const keys = (home.attention.ending_keys ?? []).map(({ merchant_id: store, hint, ends_at: at }): Item => ({
    key: `key ${store} ${hint}`,
    tone: 'warn',
    icon: 'key',
    title: t('attention.key', { store: nameOf(store) }),
    about: t('attention.keyAbout', { hint: `····${hint}`, time: moments.short(at) }),
    action: t('attention.check'),
    path: `/m/${account}/stores/${store}/keys`,
  }));
  const low = (home.balances ?? []).filter((one) => one.low || one.empty);
  const balances = low.map(({ merchant_id: store, available_usd: amount, days_left: days }): Item => ({
    key: `balance ${store}`,
    tone: 'warn',
    icon: 'balance',
    title: t('attention.balance', { store: nameOf(store), amount: usd(toCents(amount)) }),
    about: days === null || days === 0 ? t('attention.balanceLow') : t('attention.balanceDays', { days }),
    action: t('attention.topUp'),
    path: `/m/${account}/balance/${store}`,
    search: { topup: 'new' },
  }));
  return [...keys, ...balances];
}

function AttentionItem({ item }: { item: Item }): ReactNode {
  return (
    <li>
      <div className="row items-start gap-3">
        <span className={`dot dot-${item.tone}`}>
          <Icon name={item.icon} />
        </span>
        <div className="grow stack stack-xs">
          <strong className="strong wrap-anywhere">{item.title}</strong>
          <span className="small quiet wrap-anywhere">{item.about}</span>
        </div>
        <PlaceLink
          className="b b-s"
          path={item.path}
          search={item.search ?? {}}
          label={`${item.action}: ${item.title}`}
        >
          {item.action}
        </PlaceLink>
      </div>
    </li>
  );
}

export function Attention(props: AttentionProps): ReactNode {
  const t = useWords();
  const trade = useTradeItems(props);
  const methods = useMethodItems(props);
  const stores = useStoreItems(props);
  const items = [...trade, ...methods, ...stores];
  return (
    <section className="card attn" aria-labelledby="need">
      <div className="card-head">
        <h2 id="need">{t('attention.title')}</h2>
        {items.length > 0 && (
          <Badge tone="warn" icon="warn">
            {t('attention.open', { count: items.length })}
          </Badge>
        )}
      </div>
      {items.length === 0 ? (
        <p className="row items-start gap-3 px-5 pb-5">
          <span className="dot dot-good">
            <Icon name="check" />
          </span>
          <span className="stack stack-xs">
            <strong className="strong">{t('attention.none')}</strong>
            <span className="small quiet">{t('attention.noneAbout')}</span>
          </span>
        </p>
      ) : (
        <ul className="rows">
          {items.map((item) => (
            <AttentionItem key={item.key} item={item} />
          ))}
        </ul>
      )}
    </section>
  );
}
