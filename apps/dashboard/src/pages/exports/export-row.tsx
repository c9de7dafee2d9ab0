import type { ReactNode } from 'react';
import type { Export } from '../../api/export-queries.ts';
import { fileAddress } from '../../api/export-queries.ts';
import { presentLanguage } from '../../language/language.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Cell, Row } from '../../parts/table.tsx';

const KILOBYTE = 1_000;
const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** Human-readable size: `4.2 MB`. */
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(presentLanguage(), {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
    numberingSystem: 'latn',
  }).format(bytes / KILOBYTE ** power);
}

function ExportState({ one }: { one: Export }): ReactNode {
  const t = useWords();
  const state = t(`exports.state.${one.state}`);
  switch (one.state) {
    case 'queued':
      return (
        <Badge tone="quiet" icon="clock">
          {state}
        </Badge>
      );
    case 'running':
      return (
        <Badge tone="info" icon="half">
          {state}
        </Badge>
      );
    case 'done':
      return (
        <Badge tone="good" icon="check">
          {state}
        </Badge>
      );
    case 'failed':
      return (
        <Badge tone="bad" icon="x">
          {state}
        </Badge>
      );
    case 'expired':
      return (
        <Badge tone="quiet" icon="dash">
          {state}
        </Badge>
      );
  }
}

function Outcome({ one }: { one: Export }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  if (one.state === 'failed')
    return t(`exports.fault.${one.fault ?? 'tries-used-up'}` as 'exports.fault.no-permission');
  if (one.state === 'done' && one.expires_at !== null)
    return t('exports.until', { time: moments.within(one.expires_at) });
  return null;
}

type FileActionsProps = { account: string; one: Export; onVerify: () => void };

/** Actions for a finished file. */
function FileActions({ account, one, onVerify }: FileActionsProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const kind = t(`exports.kind.${one.kind}`);
  return (
    <span className="row export-acts">
      <a
        className={buttonClass('plain', { small: true })}
        href={fileAddress(account, one.export)}
        download
        aria-label={t('exports.downloadOf', { kind, time: moments.short(one.created_at) })}
      >
        <Icon name="export" />
        {t('exports.download')}
      </a>
      <Button small look="quiet" onClick={onVerify}>
        {t('exports.verify')}
      </Button>
    </span>
  );
}

type ExportRowProps = {
  account: string;
  one: Export;
  storeName: (code: string) => string;
  personName: (code: string) => string;
  onVerify: () => void;
};

export function ExportRow({ account, one, storeName, personName, onVerify }: ExportRowProps): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const scope = one.stores === null ? t('exports.allStores') : one.stores.map(storeName).join(', ');
  const from = one.from === null ? t('exports.beginning') : moments.short(one.from);
  return (
    <Row>
      <Cell place="first">
        <span className="two">
          <strong className="strong">{t(`exports.kind.${one.kind}`)}</strong>
          <span className="t2 clip max-w-72" title={scope}>
            {one.status !== null && `${t(`status.${one.status}` as 'status.completed')} · `}
            <bdi>{scope}</bdi>
          </span>
        </span>
      </Cell>
      <Cell place="lab" label={t('exports.period')}>
        <span className="two num small">
          <span>{from}</span>
          <span className="quiet">{t('exports.upTo', { time: moments.within(one.to) })}</span>
        </span>
      </Cell>
      <Cell place="lab" label={t('exports.asked')}>
        <span className="two num">
          <span className="nowrap">{moments.short(one.created_at)}</span>
          <span className="t2 clip max-w-40">
            <bdi>{personName(one.requested_by)}</bdi>
          </span>
        </span>
      </Cell>
      <Cell place="lab" label={t('exports.rows')} end>
        {one.rows !== null && one.bytes !== null && (
          <span className="two num">
            <span>{one.rows.toLocaleString(presentLanguage())}</span>
            <span className="t2 nowrap">{sizeText(one.bytes)}</span>
          </span>
        )}
      </Cell>
      <Cell place="second">
        <span className="two justify-items-start">
          <ExportState one={one} />
          <span className="t2 small">
            <Outcome one={one} />
          </span>
        </span>
      </Cell>
      <Cell place="wide" end>
        {one.state === 'done' && <FileActions account={account} one={one} onVerify={onVerify} />}
      </Cell>
    </Row>
  );
}
