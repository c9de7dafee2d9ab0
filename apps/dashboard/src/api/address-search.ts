/** Query parameters of pages; invalid ones are ignored. */

type Raw = Record<string, unknown>;

/** Text in a given form. Numbers are accepted too: the router reads digits as numbers. */
export function readText<Name extends string>(raw: Raw, name: Name, fits: RegExp): { [Key in Name]?: string } {
  const value = raw[name];
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && fits.test(text) ? ({ [name]: text } as { [Key in Name]?: string }) : {};
}

export function readChoice<Name extends string, const Value extends string>(
  raw: Raw,
  name: Name,
  choices: readonly Value[],
): { [Key in Name]?: Value } {
  const value = choices.find((one) => one === raw[name]);
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}
