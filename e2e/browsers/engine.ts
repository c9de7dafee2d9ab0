/** A journey's needs of a browser, for any protocol. */
export type Engine = {
  name: string;
  open: (url: string) => Promise<void>;
  /** Runs a script's body in the page and answers what it returns. */
  run: (body: string) => Promise<unknown>;
  click: (selector: string) => Promise<void>;
  /** A picture of the page, as PNG. */
  picture: () => Promise<Uint8Array>;
  close: () => Promise<void>;
};

/** A phone's page, in CSS pixels. */
export const PHONE = { width: 390, height: 800 };
