import { isSecret, namesIn, parseSettings } from './parse-settings.ts';
import type { ProcessName } from './server-process.ts';
import { settingsOf } from './server-process.ts';
import type { Variables } from './setting.ts';
import { FILE_END } from './setting.ts';

/** `from`: where the value comes from. */
type ShownSetting = { name: string; value: string; from: 'default' | 'environment' | 'file' };

const HIDDEN = '(hidden)';
const NONE = '(none)';

/** An address without parts that may be a password or key; other texts unchanged. */
function maskedText(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return text;
  const user = `${url.username}${url.password}` === '' ? '' : `${HIDDEN}@`;
  const rest = `${url.search}${url.hash}` === '' ? '' : `?${HIDDEN}`;
  const path = url.pathname === '/' ? '' : url.pathname;
  return `${url.protocol}//${user}${url.host}${path}${rest}`;
}

function textOf(value: unknown): string {
  if (value === undefined) return NONE;
  if (Array.isArray(value)) return value.length === 0 ? NONE : value.join(',');
  return typeof value === 'string' ? maskedText(value) : JSON.stringify(value);
}

export function showSettings(process: ProcessName, given: Variables): ShownSetting[] {
  const settings = settingsOf(process);
  const { values } = parseSettings(settings, given);
  const read: Record<string, unknown> = values;
  return namesIn(settings)
    .filter((name) => name in settings.own.shape || read[name] !== undefined)
    .map((name) => {
      const inFile = isSecret(name) && !!given[`${name}${FILE_END}`];
      const isSet = inFile || given[name] !== undefined;
      const value = isSecret(name) && read[name] !== undefined ? HIDDEN : textOf(read[name]);
      return { name, value, from: inFile ? 'file' : isSet ? 'environment' : 'default' };
    });
}
