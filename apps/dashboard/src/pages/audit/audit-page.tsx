import { i18n } from '@lingui/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import type { AuditEntry } from '../../api/audit-queries.ts';
import { auditQuery } from '../../api/audit-queries.ts';
import type { Store } from '../../api/queries.ts';
import { storesQuery } from '../../api/queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { useMoments } from '../../language/moments.ts';
import type { WordKey } from '../../language/words.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { InvoiceLink } from '../../parts/invoice-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Pager, ZoneName } from '../../parts/pager.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';
import { usePersonNames } from '../person-names.ts';
import { linesOf } from './audit-details.ts';

const ACTORS: Readonly<Record<string, WordKey>> = {
  worker: 'actor.worker',
  store: 'actor.store',
  stranger: 'actor.stranger',
};

/** Actions as text; unknown ones as in the log. */
function useAct(): (action: string) => string {
  const t = useWords();
  return (action) => {
    const key = `act.${action}` as WordKey;
    return key in i18n.messages ? t(key) : action;
  };
}

function Subject({
  account,
  subject,
  stores,
}: {
  account: string;
  subject: string;
  stores: readonly Store[];
}): ReactNode {
  const t = useWords();
  const [kind = '', code = ''] = subject.split(/:(.*)/s);
  if (subject === 'merchant') return <span className="quiet">{t('audits.wholeAccount')}</span>;
  if (kind === 'invoice') return <InvoiceLink account={account} invoice={code} className="mono" />;
  if (kind === 'store') {
    const store = stores.find((one) => one.merchant_id === code);
    return (
      <span className="clip block max-w-56" dir="auto" title={code}>
        {store?.name ?? code}
      </span>
    );
  }
  return (
    <bdi dir="ltr" className="mono clip block max-w-56" title={subject}>
      {subject}
    </bdi>
  );
}

function Details({ entry, id }: { entry: AuditEntry; id: string }): ReactNode {
  const t = useWords();
  const lines = [{ name: t('audits.code'), value: entry.action }, ...linesOf(entry.details)];
  return (
    <dl className="audit-details" id={id}>
      {lines.map(({ name, value }) => (
        <div key={name}>
          <dt className="mono">{name}</dt>
          <dd className="mono">
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

type EntryRowProps = { account: string; entry: AuditEntry; stores: readonly Store[]; who: (code: string) => string };

function EntryRow({ account, entry, stores, who }: EntryRowProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const act = useAct();
  const id = useId();
  const [open, setOpen] = useState(false);
  const { at, action, subject, actor } = entry;
  const time = moments.short(at);
  const what = act(action);
  return (
    <>
      <Row>
        <Cell place="first">
          <span className="strong">{what}</span>
        </Cell>
        <Cell place="wide">
          <bdi className="clip block max-w-56 first-large">{who(actor)}</bdi>
        </Cell>
        <Cell place="third">
          <Subject account={account} subject={subject} stores={stores} />
        </Cell>
        <Cell place="fourth" end>
          <time className="quiet num nowrap" dateTime={moments.iso(at)} title={moments.long(at)}>
            {time}
          </time>
        </Cell>
        <Cell place="second" end>
          <Button
            small
            look="quiet"
            aria-expanded={open}
            aria-controls={id}
            aria-label={t('audits.detailsOf', { what, time })}
            onClick={() => setOpen(!open)}
          >
            {t('audits.details')}
          </Button>
        </Cell>
      </Row>
      {open && (
        <tr role="row" className="audit-open">
          <td role="cell" colSpan={5} className="wide">
            <Details entry={entry} id={id} />
          </td>
        </tr>
      )}
    </>
  );
}

export function AuditPage(): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const { after } = useSearch({ from: '/signed-in/m/$account/audit' });
  const query = useQuery(auditQuery(account, after));
  const stores = useQuery(storesQuery(account)).data?.stores ?? [];
  const nameOf = usePersonNames();
  const who = (code: string) => {
    const key = ACTORS[code];
    return key === undefined ? nameOf(code) : t(key);
  };
  const columns = ['audits.what', 'audits.who', 'audits.subject'] as const;
  return (
    <>
      <PageHead title={t('audit.title')} about={t('audits.about')} />
      <Loaded query={query} role={role} permission="audit.see" bones="table">
        {({ entries, next }) =>
          entries.length === 0 ? (
            <Empty icon="audit" title={after === undefined ? t('audits.none') : t('audits.noneOlder')}>
              {after === undefined ? t('audits.noneAbout') : t('audits.noneOlderAbout')}
            </Empty>
          ) : (
            <div className="card">
              <Table
                label={t('audit.title')}
                columns={[
                  ...columns.map((key) => ({ title: t(key) })),
                  { title: t('audits.when'), end: true },
                  { title: t('audits.details'), end: true, hidden: true },
                ]}
              >
                {entries.map((entry, place) => (
                  <EntryRow
                    key={`${entry.at} ${entry.action} ${entry.subject} ${place}`}
                    account={account}
                    entry={entry}
                    stores={stores}
                    who={who}
                  />
                ))}
              </Table>
              <Pager
                after={after}
                next={next}
                onPage={(to) =>
                  void navigate({
                    to: '/m/$account/audit',
                    params: { account },
                    search: to === undefined ? {} : { after: to },
                  })
                }
              >
                <ZoneName />
              </Pager>
            </div>
          )
        }
      </Loaded>
    </>
  );
}
