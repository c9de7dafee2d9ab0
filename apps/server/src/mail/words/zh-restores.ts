import type { Block, RestoreWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

const BECAUSE_ADDRESS = '您收到此邮件，是因为此邮箱属于该账户，或不久前属于该账户。';

/** The end of an email about a change that its reader can undo; `otherwise` where they cannot. */
export const undoOr = (link: string | null, otherwise: string): Block[] =>
  link === null
    ? [small(otherwise)]
    : [
        paragraph(
          '如果不是您本人操作，请撤销此更改。撤销会结束所有会话、锁定您各商户的收款方式，并恢复您之前的登录信息。',
        ),
        button('撤销更改', link),
        small('此链接七天内有效，不会让任何人登录。'),
      ];

export const zhRestores: RestoreWords = {
  'restore-requested': ({ effectiveAt, link }) =>
    mail(
      '您之前的登录信息即将恢复',
      paragraph(
        '有人使用了您账户的撤销链接，但没有提供之前的两步验证方式。最近更改之前的邮箱、密码和两步验证方式将被恢复。',
      ),
      rows(['生效时间', effectiveAt]),
      paragraph('如需保留当前的登录信息，请在此之前阻止恢复。此操作不会登录。'),
      button('阻止恢复', link),
      small(BECAUSE_ADDRESS),
      small('如果最近的更改不是您本人所为，请不要操作，让恢复继续进行。'),
    ),
  'restore-stopped': ({ at }) =>
    mail(
      '您账户的恢复已被阻止',
      paragraph('之前的登录信息不会恢复。'),
      rows(['时间', at]),
      small(BECAUSE_ADDRESS),
      small('如果您的账户被盗用，请再次打开撤销链接并使用您之前的两步验证方式，或联系您的运营方。'),
    ),
  'account-restored': ({ at }) =>
    mail(
      '您之前的登录信息已恢复',
      paragraph('最近更改之前的邮箱、密码和两步验证方式重新生效。所有会话均已结束，针对这些更改的撤销链接不再有效。'),
      rows(['时间', at]),
      small(BECAUSE_ADDRESS),
      small('如果账户曾被盗用，请登录并修改密码，检查两步验证方式和收款方式后再解锁。'),
    ),
};
