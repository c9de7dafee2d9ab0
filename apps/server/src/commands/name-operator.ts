import { userInfo } from 'node:os';

type OperatorNaming = {
  /** Number of the user whom the process runs as. */
  uid: number | undefined;
  /** Whom `sudo` was called by. */
  sudoUser: string | undefined;
  readName?: () => string;
};

const NO_SUCH_USER = 'ENOENT';

/** The user's name; a number where the machine knows no name for it, as in a container whose user is only a number. */
function nameUser({ uid, readName = () => userInfo().username }: OperatorNaming): string {
  try {
    return readName();
  } catch (cause) {
    const { code } = (cause as { info?: { code?: string } }).info ?? {};
    if (code !== NO_SUCH_USER) throw cause;
    return `uid ${uid ?? 'unknown'}`;
  }
}

/** Names who runs a command, for the audit. */
export function nameOperator(naming: OperatorNaming): string {
  const { sudoUser } = naming;
  const user = nameUser(naming);
  return sudoUser === undefined || sudoUser === user ? user : `${sudoUser} as ${user}`;
}
