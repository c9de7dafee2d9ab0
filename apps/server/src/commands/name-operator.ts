import { userInfo } from 'node:os';

type OperatorNaming = {
  /** The user id of the process. */
  uid: number | undefined;
  /** The user who called `sudo`. */
  sudoUser: string | undefined;
  readName?: () => string;
};

const NO_SUCH_USER = 'ENOENT';

/** The user's name, or a number where the machine has none, as in a container. */
function nameUser({ uid, readName = () => userInfo().username }: OperatorNaming): string {
  try {
    return readName();
  } catch (cause) {
    const { code } = (cause as { info?: { code?: string } }).info ?? {};
    if (code !== NO_SUCH_USER) throw cause;
    return `uid ${uid ?? 'unknown'}`;
  }
}

export function nameOperator(naming: OperatorNaming): string {
  const { sudoUser } = naming;
  const user = nameUser(naming);
  return sudoUser === undefined || sudoUser === user ? user : `${sudoUser} as ${user}`;
}
