import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { ReactNode } from 'react';
import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import { useMoments } from '../../language/moments.ts';
import { useWords } from '../../language/words.ts';
import { ZoneName } from '../../parts/pager.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import {
  Audited,
  Cancelled,
  Completed,
  Created,
  Ended,
  Event,
  Fee,
  Missing,
  Named,
  Proven,
  Quoted,
  Seen,
  Tried,
} from './chapter.tsx';
import type { Chapter } from './story.ts';
import { tellStory } from './story.ts';

type Told = { chapter: Chapter; history: InvoiceHistory; brief: boolean };

function ChapterView({ chapter, ...rest }: Told): ReactNode {
  switch (chapter.kind) {
    case 'created':
      return <Created chapter={chapter} {...rest} />;
    case 'quoted':
      return <Quoted chapter={chapter} {...rest} />;
    case 'named':
    case 'named_read':
      return <Named chapter={chapter} {...rest} />;
    case 'seen':
      return <Seen chapter={chapter} {...rest} />;
    case 'proven':
      return <Proven chapter={chapter} {...rest} />;
    case 'missing':
      return <Missing chapter={chapter} {...rest} />;
    case 'completed':
      return <Completed chapter={chapter} {...rest} />;
    case 'fee':
      return <Fee chapter={chapter} {...rest} />;
    case 'told':
      return <Event chapter={chapter} {...rest} />;
    case 'tried':
      return <Tried chapter={chapter} {...rest} />;
    case 'audited':
      return <Audited chapter={chapter} {...rest} />;
    case 'cancelled':
      return <Cancelled chapter={chapter} {...rest} />;
    case 'time_up':
    case 'expired':
      return <Ended chapter={chapter} {...rest} />;
  }
}

/** The timeline with evidence; `brief` without it, beside a list. */
export function InvoiceStory({ history, brief = false }: { history: InvoiceHistory; brief?: boolean }): ReactNode {
  const t = useWords();
  const moments = useMoments();
  const story = tellStory(history, Math.floor(Date.now() / SECOND_MS));
  return (
    <section aria-labelledby="story" className="stack gap-5">
      <div className="row between row-wrap">
        <h2 id="story">{t('story.title')}</h2>
        <span className="small quiet">
          {moments.day(history.invoice.created_at)} · <ZoneName />
        </span>
      </div>
      <Timeline since={history.invoice.created_at}>
        {story.map((chapter) => (
          <ChapterView key={chapter.key} chapter={chapter} history={history} brief={brief} />
        ))}
      </Timeline>
    </section>
  );
}
