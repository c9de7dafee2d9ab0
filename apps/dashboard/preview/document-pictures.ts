/** Pictures that documents show, which are kept beside them. */
export const IN_DOCUMENTS: ReadonlySet<string> = new Set([
  'home-desk-light.webp',
  'home-empty-desk-light.webp',
  'home-phone-light.webp',
  'home-arabic-phone-light.webp',
  'invoice-desk-light.webp',
  'invoice-expired-phone-dark.webp',
  'invoices-phone-dark.webp',
  'invoices-test-desk-light.webp',
  'methods-desk-light.webp',
  'stores-desk-light.webp',
  'unmatched-desk-light.webp',
  'webhooks-desk-dark.webp',
]);
