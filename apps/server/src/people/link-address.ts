type LinkPage = 'email' | 'invitation' | 'keep-factors' | 'lock' | 'reset' | 'undo' | 'undo/stop' | 'verify';

/** The token is in the fragment, which browsers send to no server: no log or referrer has it. */
export const linkAddress = (dashboardUrl: string, page: LinkPage, token: string): string =>
  `${dashboardUrl}/${page}#${token}`;
