import type { ReactNode } from 'react';
import type { SecurityEvent } from '../../api/activity-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { Badge } from '../../parts/badge.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Pager, ZoneName } from '../../parts/pager.tsx';
import { Cell, Row, Table } from '../../parts/table.tsx';
import { agentName } from '../agent-name.ts';

const REFUSED = new Set<SecurityEvent['kind']>(['sign-in-refused', 'factor-refused']);

function EventRow({ event, who }: { event: SecurityEvent; who: string | undefined }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const { at, kind, address, agent } = event;
  const what = t(`event.${kind}`);
  return (
    <Row>
      <Cell place="first">
        {REFUSED.has(kind) ? (
          <Badge tone="warn" icon="warn">
            {what}
          </Badge>
        ) : (
          <span className="strong">{what}</span>
        )}
      </Cell>
      {who !== undefined && (
        <Cell place="third">
          <bdi className="clip block max-w-56">{who}</bdi>
        </Cell>
      )}
      <Cell place={who === undefined ? 'third' : 'fourth'}>
        <bdi className="clip block max-w-56" title={agent}>
          {agentName(agent)}
        </bdi>
      </Cell>
      <Cell place="wide">
        <bdi dir="ltr" className="mono">
          {address}
        </bdi>
      </Cell>
      <Cell place="second" end>
        <time className="quiet num nowrap" dateTime={moments.iso(at)} title={moments.long(at)}>
          {moments.short(at)}
        </time>
      </Cell>
    </Row>
  );
}

type EventListProps = {
  events: readonly SecurityEvent[];
  after: string | undefined;
  next: string | null;
  onPage: (after: string | undefined) => void;
  /** Name of a member; omitted for the reader's own events. */
  nameOf?: (code: string) => string;
};

export function EventList({ events, after, next, onPage, nameOf }: EventListProps): ReactNode {
  const t = useWords();
  if (events.length === 0)
    return (
      <Empty icon="shield" title={after === undefined ? t('activity.none') : t('activity.noneOlder')}>
        {t('activity.noneAbout')}
      </Empty>
    );
  const columns = [
    { title: t('activity.what') },
    ...(nameOf ? [{ title: t('activity.who') }] : []),
    { title: t('activity.browser') },
    { title: t('activity.address') },
    { title: t('activity.when'), end: true },
  ];
  return (
    <div className="card">
      <Table label={t('activity.title')} columns={columns}>
        {events.map((event, place) => (
          <EventRow
            key={`${event.at} ${event.kind} ${place}`}
            event={event}
            who={nameOf && event.person !== undefined ? nameOf(event.person) : undefined}
          />
        ))}
      </Table>
      <Pager after={after} next={next} onPage={onPage}>
        <ZoneName />
      </Pager>
    </div>
  );
}
