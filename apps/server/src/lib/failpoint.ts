/** Named points at commit boundaries where a drill kills the process for real. */

const NONE = (): void => {};

/** `name` or `name*3` (at its third passing). Absent from normal runs: without a setting it does nothing at all. */
export function createFailpoint(setting: string | undefined): (name: string) => void {
  if (setting === undefined || setting === '') return NONE;
  const [target, times] = setting.split('*');
  let left = Number(times ?? 1);
  return (name) => {
    if (name !== target) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}
