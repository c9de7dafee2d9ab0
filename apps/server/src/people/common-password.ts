const SERVICE_NAME = 'counterfoil';
/** Shortest known word that counts: shorter ones are part of too many good passwords. */
const MIN_WORD = 4;
/** Most digits and punctuation around a known word; more of them are a secret of their own. */
const MAX_PADDING = 10;

const LEET: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '8': 'b',
  '(': 'c',
  '3': 'e',
  '€': 'e',
  '6': 'g',
  '9': 'g',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '2': 'z',
};

let loading: Promise<ReadonlySet<string>> | undefined;

/** `@zxcvbn-ts/language-common` (MIT), 49,000 leaked passwords: 5 MB, loaded at first use. */
const loadCommonPasswords = (): Promise<ReadonlySet<string>> =>
  (loading ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map(String)),
  ));

const undoLeet = (text: string, one: 'i' | 'l') =>
  Array.from(text, (character) => {
    const letter = LEET[character] ?? character;
    return letter === 'i' && character !== 'i' ? one : letter;
  }).join('');

function countPadding(characters: readonly string[]): number {
  const letter = characters.findIndex((character) => /\p{L}/u.test(character));
  return Math.min(letter === -1 ? characters.length : letter, MAX_PADDING);
}

/** A password without some of the digits and punctuation at its ends. */
function* stripPadding(characters: readonly string[]): Generator<string> {
  const before = countPadding(characters);
  const after = countPadding(characters.toReversed());
  for (let start = 0; start <= before; start += 1)
    for (let end = 0; end <= Math.min(after, MAX_PADDING - start); end += 1) {
      const rest = characters.slice(start, characters.length - end);
      if (rest.length < MIN_WORD) break;
      yield rest.join('');
    }
}

/** Removes repetitions: `monkeymonkey` becomes `monkey`. */
const findRepeated = (word: string) => /^(.{4,}?)\1+$/u.exec(word)?.[1] ?? word;

/**
 * Whether a password is a common one, also with other capitals, look-alike characters, separators, repetition or
 * padding. The service's name and the user's own words count as common.
 */
export async function isCommonPassword(password: string, ownWords: readonly string[]): Promise<boolean> {
  const common = await loadCommonPasswords();
  const own = new Set([SERVICE_NAME, ...ownWords].map((word) => word.toLowerCase()));
  const isKnown = (word: string) => common.has(word) || own.has(word);
  const lower = password.normalize('NFKC').toLowerCase();
  if (isKnown(lower)) return true;
  for (const word of stripPadding(Array.from(lower))) {
    // Digits alone are common only as a whole row of keys: four of them are in most numbers.
    if (!/\p{L}/u.test(word) && word.length < 8) continue;
    const squeezed = word.replaceAll(/[\s._-]/g, '');
    const forms = [word, squeezed, undoLeet(word, 'i'), undoLeet(word, 'l')];
    if (forms.some((form) => form.length >= MIN_WORD && (isKnown(form) || isKnown(findRepeated(form))))) return true;
  }
  return false;
}
