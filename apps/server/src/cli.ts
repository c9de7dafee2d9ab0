import { VARIABLES } from './config/environment.ts';
import { operate } from './operate.ts';

const { code, out, error } = await operate(process.argv.slice(2), VARIABLES);
if (out !== '') console.log(out);
if (error !== '') console.error(error);
process.exitCode = code;
