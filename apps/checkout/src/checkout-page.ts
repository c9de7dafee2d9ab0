import type { FunctionComponent, JSX } from 'preact';
import { h } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CheckoutStep } from './checkout-view.ts';
import type { Connection } from './follow-view.ts';
import { followView } from './follow-view.ts';
import { icon } from './icons.ts';
import type { Page, PageState } from './page.ts';
import { PaidStep } from './paid-step.ts';
import type { StepProps } from './steps.ts';
import { CheckingStep, ChooseStep, ExpiredStep, PayStep, ProcessingStep } from './steps.ts';
import type { PhraseKey } from './text.ts';
import { speak } from './text.ts';

const STEPS: Record<CheckoutStep, { title: PhraseKey; body: FunctionComponent<StepProps> }> = {
  choose: { title: 'chooseTitle', body: ChooseStep },
  pay: { title: 'payTitle', body: PayStep },
  checking: { title: 'checkingTitle', body: CheckingStep },
  processing: { title: 'processingTitle', body: ProcessingStep },
  paid: { title: 'paidTitle', body: PaidStep },
  expired: { title: 'expiredTitle', body: ExpiredStep },
};

const TITLES: Partial<Record<CheckoutStep, PhraseKey>> = { paid: 'documentTitlePaid', expired: 'documentTitleExpired' };

export function titleKey(step: CheckoutStep): PhraseKey {
  return TITLES[step] ?? 'documentTitle';
}

function Summary({ page: { view, words } }: { page: Page }): JSX.Element {
  const { store } = view;
  return h(
    'header',
    { class: 'summary' },
    h(
      'div',
      { class: 'store' },
      store.logoPath
        ? h('img', { class: 'logo', src: store.logoPath, alt: '', width: 48, height: 48 })
        : h('span', { class: 'logo', 'aria-hidden': 'true' }, String.fromCodePoint(store.name.codePointAt(0) ?? 0x20)),
      h(
        'p',
        null,
        h('span', { class: 'quiet small' }, words.text('payTo')),
        h('strong', null, h('bdi', null, store.name)),
      ),
    ),
    h('p', { class: 'total', dir: 'ltr' }, h('span', null, `$${view.amountUsd}`), ' ', h('small', null, 'USD')),
    view.name && h('p', { class: 'order' }, h('bdi', null, view.name)),
    view.description && h('p', { class: 'quiet description' }, h('bdi', null, view.description)),
    h('p', { class: 'quiet small invoice' }, words.text('invoice'), ' ', h('bdi', null, view.transId)),
  );
}

type Following = Pick<Page, 'view' | 'show' | 'refresh' | 'nowMs'> & { connection: Connection };

/** Keeps the view at its newest, whichever way it comes. */
function useView(state: PageState): Following {
  const [view, setView] = useState(state.view);
  const [connection, setConnection] = useState<Connection>('live');
  const follower = useRef<ReturnType<typeof followView>>(null);
  useEffect(() => {
    follower.current = followView(state.view, state.paths, setView, setConnection);
    return () => follower.current?.stop();
  }, []);
  return {
    view,
    connection,
    show: (next) => follower.current?.show(next),
    refresh: () => follower.current?.refresh(),
    nowMs: () => follower.current?.nowMs() ?? view.nowMs,
  };
}

export function CheckoutPage({ state }: { state: PageState }): JSX.Element {
  const { connection, ...following } = useView(state);
  const { view } = following;
  const [announcement, setAnnouncement] = useState('');
  const words = useMemo(() => speak(state.language, state.phrases), []);
  const heading = useRef<HTMLHeadingElement>(null);
  const shownStep = useRef(view.step);
  const { title, body } = STEPS[view.step];
  useEffect(() => {
    if (shownStep.current === view.step) return;
    shownStep.current = view.step;
    document.title = words.text(titleKey(view.step), { store: view.store.name });
    heading.current?.focus();
    setAnnouncement(words.text(title));
  }, [view.step]);
  const page: Page = {
    ...following,
    words,
    paths: state.paths,
    fixedLanguage: state.languageFixed ? state.language : null,
    announce: setAnnouncement,
  };
  return h(
    'div',
    { class: `page is-${view.step}` },
    h(Summary, { page }),
    h(
      'main',
      { class: 'card' },
      h(
        'h1',
        { ref: heading, tabIndex: -1 },
        view.step === 'paid' && h('span', { class: 'seal' }, icon('check')),
        words.text(title),
      ),
      h(body, { key: view.step, page, check: state.check, refusal: state.refusal }),
      connection === 'lost' && h('p', { class: 'quiet small reconnecting' }, words.text('reconnecting')),
    ),
    h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' }, announcement),
  );
}
