/** What the server's bench sees of measure-page.ts, without the types of browsers. */

export type PageMeasure = {
  /** Bytes on the wire, compressed. */
  js_gz: number;
  page_gz: number;
  /** Requests to any other origin. */
  third_party: number;
  lighthouse: { performance: number; accessibility: number; best_practices: number };
  axe_violations: number;
};

export declare function measurePage(url: string, options: { quick: boolean }): Promise<PageMeasure>;
