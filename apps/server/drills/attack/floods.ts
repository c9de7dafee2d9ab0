import type { Beside } from './beside.ts';
import { worstOf } from './beside.ts';
import { closeSecureCalls } from './call-securely.ts';
import { attackDashboard } from './dashboard-flood.ts';
import { attackMail } from './email-flood.ts';
import { withFloodSite } from './flood-site.ts';
import { countRefusedLinks } from './links-refused.ts';
import { attackByPipelines } from './pipelined.ts';
import { attackSignIn } from './signin-flood.ts';
import { countRecovered } from './takeovers.ts';

/** Floods of requests, sign-ins and emails beside a neighbour, who must not notice more than a slow answer. */

export type FloodSizes = { seconds: number; atOnce: number; linkSets: number };

export type FloodFigures = {
  pipelined: Beside;
  dashboard_flood: Beside;
  signin_flood: Beside;
  email_flood: Beside;
  links_refused: number;
  takeover_recovered: number;
};

function findFaults(parts: readonly Beside[], linksRefused: number): string[] {
  return [
    ...parts.filter(({ share }) => share > 1).map(({ part }) => `${part}: a neighbour waited too long`),
    ...parts.filter(({ errors }) => errors > 0).map(({ part, errors }) => `${part}: ${errors} errors of a neighbour`),
    ...(linksRefused > 0 ? [`${linksRefused} valid links were refused`] : []),
  ];
}

export async function runFloods(sizes: FloodSizes): Promise<{ figures: FloodFigures; faults: string[] }> {
  let outcome: { figures: FloodFigures; faults: string[] } | undefined;
  await withFloodSite(async (site) => {
    const { seconds, atOnce, linkSets: sets } = sizes;
    try {
      const takeovers = await countRecovered(site);
      const pipelined = await attackByPipelines(site, seconds);
      const dashboard = await attackDashboard(site, { seconds, atOnce });
      const mail = await attackMail(site, seconds);
      const signIn = await attackSignIn(site, seconds);
      const links = await countRefusedLinks(site, { seconds, sets });
      const figures = {
        pipelined: worstOf(pipelined),
        dashboard_flood: worstOf(dashboard),
        signin_flood: worstOf(signIn),
        email_flood: mail,
        links_refused: links,
        takeover_recovered: takeovers.recovered,
      };
      const lost = takeovers.stories - takeovers.recovered;
      const faults = findFaults([...pipelined, ...dashboard, ...signIn, mail], links);
      outcome = { figures, faults: [...faults, ...(lost > 0 ? [`${lost} takeovers were not undone`] : [])] };
    } finally {
      closeSecureCalls();
    }
  });
  if (!outcome) throw new Error('The floods did not end.');
  return outcome;
}
