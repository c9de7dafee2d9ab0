/** A chosen logo. The server decides; this saves a round trip. */

const MAX_BYTES = 65_536;
const MIN_SIDE = 16;
const MAX_SIDE = 1_024;

export const LOGO_TYPES = 'image/png,image/jpeg,image/webp';

export type LogoFault = 'too-large' | 'not-a-picture' | 'wrong-size';

const readAddress = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error('The file could not be read.')));
    reader.readAsDataURL(file);
  });

/** The picture as a data URL, or what is wrong with it. */
export async function readLogo(file: File): Promise<{ address: string } | { fault: LogoFault }> {
  if (!LOGO_TYPES.split(',').includes(file.type)) return { fault: 'not-a-picture' };
  if (file.size > MAX_BYTES) return { fault: 'too-large' };
  const address = await readAddress(file);
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    return { fault: 'not-a-picture' };
  }
  const sides = [image.naturalWidth, image.naturalHeight];
  return sides.every((side) => side >= MIN_SIDE && side <= MAX_SIDE) ? { address } : { fault: 'wrong-size' };
}

/** The bytes of a data URL, for the server. */
export const bytesOf = (address: string): string => address.slice(address.indexOf(',') + 1);
