import type { ProseKind } from './read-prose.ts';

/** Phrases to avoid, and what to write instead. */

/** Listed phrases per 10,000 words that are still allowed. Lower them as texts improve; never raise them. */
export const CEILINGS: Record<ProseKind, number> = { ui: 16, emails: 5, docs: 16, comments: 18 };

export type Phrase = {
  /** A pattern that matches whole words, in any case. */
  find: string;
  write: string;
  /** Longer phrases in which the same words are right. */
  except?: string;
};

export const PHRASES: readonly Phrase[] = [
  { find: 'mails?|mailed|mailbox(?:es)?', write: 'email', except: 'e-?mail|mail (?:server|program|client)s?' },
  { find: 'e-mails?', write: 'email' },
  { find: 'tells?|told|telling', write: 'notify, report, show, say' },
  { find: 'somebody', write: 'someone, a user' },
  { find: 'whoever', write: 'the person who' },
  { find: 'nobody', write: 'no one, or name the actor' },
  { find: '(?:those|people) who run (?:this|the) service', write: 'your operator' },
  { find: 'by (?:itself|themselves|himself)', write: 'automatically' },
  { find: 'go(?:es|ing)? on|went on', write: 'continue', except: "what(?: is|'s|’s) going on" },
  {
    find: 'at once',
    write: 'immediately',
    except: '(?:two|three|four|ten|several|many|both|more than one)[^.]{0,30} at once',
  },
  { find: 'all the same', write: 'anyway' },
  { find: 'stands?', write: 'is, appears', except: 'stand-?(?:by|in|alone)' },
  { find: 'lands?|landed|landing', write: 'arrives at, is received at', except: 'landing page' },
  { find: 'for ever', write: 'permanently, indefinitely' },
  {
    find: '(?:an?|the|each|every|next|first|last|one|no|another|per|second|third|more) try|tries(?! (?:to|again|it|them))',
    write: 'attempt',
  },
  { find: '(?:an?|one|two|each|every|second|first|another|further) looks?', write: 'check, read' },
  { find: 'put(?:s|ting)? (?:\\w+ )?aside', write: 'dismiss' },
  { find: '(?:take|takes|taken|taking|took) (?:it |them |the change )?back', write: 'cancel, revert, reverse' },
  {
    find: 'nam(?:e|es|ed|ing) (?:an?|the|its|another) transaction|named transactions?',
    write: 'submit a transaction hash',
  },
  { find: 'dr[ae]w(?:s|n|ing)? (?:\\w+ )?codes?', write: 'generate codes' },
  { find: 'unfit', write: 'invalid' },
  { find: 'acts?', write: 'action', except: 'acts? (?:as|for|like|on behalf)' },
  { find: 'second factors?', write: 'two-factor method' },
  { find: 'gatherers?', write: 'data loader' },
  { find: 'bur(?:y|ies|ied|ying)', write: 'mark as failed' },
  { find: 'beholders?', write: 'viewer' },
  {
    find: '(?:tests?|script|check|which|that) holds? (?:that|this|it|them|all)|held by (?:an? |the )?tests?',
    write: 'check, ensure, enforce',
  },
  { find: 'worded|words (?:the|an?|every|each|its) (?:answer|refusal|error)s?', write: 'phrase, format' },
  { find: 'mend(?:s|ed|ing)?', write: 'fix' },
  { find: 'vouch(?:es|ed|ing)?', write: 'confirm' },
  { find: 'believ(?:e|es|ed|ing)', write: 'accept, trust' },
  { find: 'meanwhile', write: 'in the meantime' },
  { find: 'but for', write: 'except for' },
  { find: 'any more', write: 'no longer', except: 'any more (?:than|of)' },
  {
    find: '(?-i:What) (?:is|was|waits|waited|stays|comes|came|arrives|arrived|fails|failed|belongs)(?! (?:the|an?|this|that|it|your|our)\\b)',
    write: 'a noun as the subject',
  },
  { find: 'of yours', write: 'your' },
  { find: 'by hand', write: 'manually' },
  { find: 'whatever', write: 'anything that, everything that' },
  { find: 'thereby|whereby|wherein|hereby|thereof|whereupon', write: 'a plain connection' },
  { find: 'by which', write: 'with which, that' },
  { find: 'shall', write: 'must, will' },
  { find: '(?:until|up to) now', write: 'so far' },
  { find: 'a quarter of an hour', write: '15 minutes' },
  { find: 'speaks?', write: 'support, use' },
  { find: '(?:is|are|was|were) wanted', write: 'is required' },
  { find: 'knows? (?:nothing|of)', write: 'does not depend on, has a record of' },
  { find: 'again and again', write: 'repeatedly' },
  { find: 'nothing of (?:it|this|that|them)', write: 'none' },
  {
    find: "(?:merchant|store|account)[’']s people|people of (?:an?|the|your) (?:merchant|store|account)",
    write: 'team members',
  },
  { find: '(?:is|are|be|was|were) let in', write: 'is admitted, may sign in' },
  { find: '(?:give|gives|given|gave|giving) up', write: 'stop retrying, mark as failed' },
  { find: 'so (?:many|much)(?! (?:that|as)\\b)', write: 'the given number of' },
  { find: 'anew', write: 'again' },
  { find: 'in the way of', write: 'blocks' },
  { find: '(?:account|process|worker|loop|connection)s? (?:that )?rests?', write: 'is idle' },
  { find: 'once more', write: 'again' },
  {
    find: '(?:write|writes) (?:an?|one|another|the) (?:\\w+ )?(?:address|amount|name|number|code|password)',
    write: 'enter',
  },
  { find: '(?:is|are|was|were) (?:put|written) down', write: 'is recorded' },
  { find: 'the (?:newest|oldest|latest) first', write: 'newest first, oldest first' },
  { find: 'works? no more', write: 'no longer works' },
  { find: 'needs? a hand', write: 'needs your attention' },
  { find: 'prov(?:e|es|ing) (?:again )?who', write: 'confirm your identity' },
  { find: '(?:look|looks|looked|looking) (?:upon|once)', write: 'check' },
];
