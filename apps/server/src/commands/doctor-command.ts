import { z } from 'zod';
import type { Finding } from '../doctor/finding.ts';
import type { DoctorContext } from '../doctor/run-doctor.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { command } from './command.ts';

const nothing = z.object({});

const RANKS: readonly Finding['state'][] = ['wrong', 'doubtful', 'fine'];

export const doctorCommand = command<DoctorContext, typeof nothing>('doctor', {
  summary: 'Examine everything that an operator can get wrong with this installation, and say how to mend it.',
  options: {},
  input: nothing,
  run: async (context) => {
    const findings = await runDoctor(context);
    return findings.toSorted((one, other) => RANKS.indexOf(one.state) - RANKS.indexOf(other.state));
  },
});
