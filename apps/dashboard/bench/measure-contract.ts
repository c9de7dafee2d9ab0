/** What the server's bench sees of measure-app.ts, without the types of browsers. */

export type AppMeasure = {
  /** Most bytes of script that a first page fetches, compressed with gzip. */
  initial_js_gz: number;
  /** Longest time until a first page can be used, by Lighthouse's desktop profile. */
  interactive_ms: number;
  /** What the browser refused because of the page's policy. */
  policy_reports: number;
  lighthouse: { accessibility: number; best_practices: number };
};

export type MeasuredApp = {
  origin: string;
  /** The session of somebody who is signed in, as a cookie header. */
  cookie: string;
  /** The address of a visitor's first page, and of a member's. */
  visitorPath: string;
  memberPath: string;
};

export declare function measureApp(app: MeasuredApp, options: { quick: boolean }): Promise<AppMeasure>;
