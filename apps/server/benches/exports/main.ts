import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { measureExport } from '../../rig/exports/measure-export.ts';

/** Measures one large export by a real worker. `--quick` makes it small. */

const ROWS = process.argv.includes('--quick') ? 20_000 : 200_000;
/** How much more memory a file may take that is ten times as large: garbage that was not collected yet. */
const MOST_MEGABYTES = 100;

const figures = await withDrillDatabase((drill) => measureExport(drill, ROWS));
console.log(JSON.stringify(figures));
if (figures.export_rows !== ROWS || figures.export_rss_growth_mb > MOST_MEGABYTES) process.exitCode = 1;
