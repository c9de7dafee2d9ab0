import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysQuery, entriesQuery } from '../../api/balance-queries.ts';
import { useAccount } from '../../frame/membership.ts';
import { columnDecimals } from '../../language/decimals.ts';
import { useMoney } from '../../language/money.ts';
import { presentLanguage } from '../../language/language.ts';
import { useWords } from '../../language/words.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';
import type { Line } from './lines.ts';
import { linesOf } from './lines.ts';
import type { MonthSpan } from './month.ts';
import { dayOf, monthOf, moveMonth } from './month.ts';

const ICONS = { fees: 'fee', topup: 'plus', credit: 'swap', debit: 'swap' } as const;

const writeDay = (ms: number, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(presentLanguage(), { timeZone: 'UTC', numberingSystem: 'latn', ...options }).format(ms);

const dayText = ({ at }: Line) => writeDay(at * SECOND_MS, { day: 'numeric', month: 'short' });

function useLineWords(): (line: Line) => { title: string; about: string } {
  const t = useWords();
  return ({ kind, at, note, topup, paid }) => {
    if (kind !== 'fees') return { title: t(`statement.${kind}`), about: note ?? topup ?? '' };
    const isToday = dayOf(at * SECOND_MS) === dayOf(Date.now());
    return { title: isToday ? t('statement.feesToday') : t('statement.fees'), about: t('statement.paid', { paid }) };
  };
}

function LineRow({ line, decimals }: { line: Line; decimals: number }): ReactNode {
  const money = useMoney();
  const { title, about } = useLineWords()(line);
  const isLess = line.amount.startsWith('-');
  const size = isLess ? line.amount.slice(1) : line.amount;
  const day = dayText(line);
  return (
    <Row>
      <Cell place="hide">
        <span className="quiet nowrap num">{day}</span>
      </Cell>
      <Cell place="first">
        <span className="row gap-3">
          <span className={`dot${isLess ? '' : ' dot-good'}`} aria-hidden="true">
            <Icon name={ICONS[line.kind]} />
          </span>
          <span className="two">
            <strong className="strong">{title}</strong>
            <span className="t2 break-words">
              <span className="phone">
                {day}
                {about !== '' && ' · '}
              </span>
              <bdi>{about}</bdi>
            </span>
          </span>
        </span>
      </Cell>
      <Cell place="second" end>
        <bdi dir="ltr" className={`money${isLess ? '' : ' good'}`}>
          {isLess ? '−' : '+'}${money.decimal(size, decimals)}
        </bdi>
      </Cell>
    </Row>
  );
}

type MonthsProps = { month: string; first: string; onMonth: (month: string) => void };

/** Navigation between months, from the store's first to the present. */
function Months({ month, first, onMonth }: MonthsProps): ReactNode {
  const t = useWords();
  const step = (by: number, isThere: boolean) =>
    isThere ? { onClick: () => onMonth(moveMonth(month, by)) } : { 'aria-disabled': true };
  return (
    <nav className="pager" aria-label={t('statement.months')}>
      <span>{t('statement.utc')}</span>
      <span className="row">
        <Button small {...step(1, month < monthOf(Date.now()))}>
          {t('statement.newer')}
        </Button>
        <Button small {...step(-1, month > first)}>
          {t('statement.older')}
        </Button>
      </span>
    </nav>
  );
}

function Lines({ lines, month }: { lines: readonly Line[]; month: string }): ReactNode {
  const t = useWords();
  if (lines.length === 0) {
    return (
      <p className="quiet card-body" role="status">
        {t('statement.none', { month })}
      </p>
    );
  }
  const decimals = columnDecimals(lines.map(({ amount }) => amount));
  const columns = [
    { title: t('statement.day') },
    { title: t('statement.what') },
    { title: t('statement.amount'), end: true },
  ];
  return (
    <Table label={t('statement.title')} columns={columns}>
      {lines.map((line) => (
        <LineRow key={line.key} line={line} decimals={decimals} />
      ))}
    </Table>
  );
}

type StatementProps = { store: string; month: string; span: MonthSpan; first: string };

/** A month's fees by day, and other entries one by one. */
export function Statement({ store, month, span, first }: StatementProps): ReactNode {
  const t = useWords();
  const navigate = useNavigate();
  const { account, role } = useAccount();
  const days = useQuery(daysQuery(account, store, span.days));
  const entries = useQuery(entriesQuery(account, store, span.seconds));
  const monthText = writeDay(Date.parse(`${month}-01`), { month: 'long', year: 'numeric' });
  const onMonth = (next: string) =>
    void navigate({
      to: '/m/$account/balance/$store',
      params: { account, store },
      search: next === monthOf(Date.now()) ? {} : { month: next },
    });
  return (
    <section className="card" aria-labelledby="statement">
      <div className="card-head">
        <h2 id="statement">{t('statement.title')}</h2>
        <span className="small quiet">{monthText}</span>
      </div>
      <Loaded query={days} role={role} permission="balance.see">
        {({ days: found }) => (
          <Loaded query={entries} role={role} permission="balance.see">
            {(read) => (
              <>
                <Lines lines={linesOf(read.entries, found)} month={monthText} />
                {!read.isWhole && <p className="card-foot warn">{t('statement.cut')}</p>}
              </>
            )}
          </Loaded>
        )}
      </Loaded>
      <Months month={month} first={first} onMonth={onMonth} />
    </section>
  );
}
