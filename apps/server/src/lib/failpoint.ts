/** Failpoints: named points at commit boundaries where a drill kills or hangs the process. */

export type Failpoint = (name: string) => void | Promise<void>;

const NONE = (): void => {};
const FOR_EVER = new Promise<void>(() => {});
const HANG = /^hang /;

/** `name` or `name*3` (the third time) kills the process, `hang name` never returns; without a setting no effect. */
export function createFailpoint(setting: string | undefined): Failpoint {
  if (setting === undefined || setting === '') return NONE;
  const [target, times] = setting.replace(HANG, '').split('*');
  let left = Number(times ?? 1);
  return (name) => {
    if (name !== target) return;
    left -= 1;
    if (left !== 0) return;
    if (HANG.test(setting)) return FOR_EVER;
    process.kill(process.pid, 'SIGKILL');
  };
}
