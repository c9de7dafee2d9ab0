import { z } from 'zod';

/** Parts that the forms of several answers have in common. */

export const seconds = z.int().describe('Unix time in seconds');
