import type { Language } from '@counterfoil/core/language.ts';
import { isWebUrl } from '../lib/text.ts';
import type { FactsOf, MailTemplate } from './mail.ts';
import type { Block, Words } from './mail-content.ts';
import { small } from './mail-content.ts';
import { renderHtml } from './render-html.ts';
import { renderText } from './render-text.ts';
import { flatten, showFacts } from './show-fact.ts';
import { ar } from './words/ar.ts';
import { en } from './words/en.ts';
import { es } from './words/es.ts';
import { zh } from './words/zh.ts';

const WORDS: Record<Language, Words> = { en, es, zh, ar };
const MAX_SUBJECT_CHARACTERS = 150;

export type RenderedMail = { subject: string; text: string; html: string };

/** Whether a link leads to our dashboard: same origin and path, and nothing that browsers read differently. */
function isOwnLink(link: string, dashboardUrl: string): boolean {
  return isWebUrl(link) && link.startsWith(`${dashboardUrl}/`) && new URL(link).origin === new URL(dashboardUrl).origin;
}

function requireOwnLinks(blocks: readonly Block[], dashboardUrl: string): void {
  const foreign = blocks.some((block) => block.kind === 'button' && !isOwnLink(block.link, dashboardUrl));
  if (foreign) throw new Error('A mail would link to something else than the dashboard.');
}

type Rendering<Template extends MailTemplate> = {
  template: Template;
  language: Language;
  facts: FactsOf<Template>;
  dashboardUrl: string;
};

/** Renders an email as text and HTML. Throws rather than link to anything else. */
export function renderMail<Template extends MailTemplate>(rendering: Rendering<Template>): RenderedMail {
  const { template, language, facts, dashboardUrl } = rendering;
  const content = WORDS[language][template](showFacts<Template>(facts, language));
  const blocks = [...content.blocks, small(`Counterfoil · ${new URL(dashboardUrl).host}`)];
  requireOwnLinks(blocks, dashboardUrl);
  const subject = flatten(content.subject, MAX_SUBJECT_CHARACTERS);
  return { subject, text: renderText(blocks), html: renderHtml(subject, blocks, language) };
}
