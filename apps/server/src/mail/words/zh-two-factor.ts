import type { TwoFactorWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './zh-methods.ts';

export const zhTwoFactor: TwoFactorWords = {
  'two-factor-code-used-again': ({ at }) =>
    mail(
      '一个验证码被使用了两次',
      paragraph('有人输入了您的密码和一个已经用过的验证码。登录已被拒绝。'),
      rows(['时间', at]),
      small('如果是您本人，请等待下一个验证码后重试。您可以忽略此邮件。'),
      small('如果不是您本人，则有人知道您的密码。请修改密码并结束所有其他会话。'),
    ),
  'two-factor-required': ({ merchant, changedBy, at, isMissing, link }) =>
    mail(
      `${merchant} 现在要求使用两步验证`,
      ...(isMissing
        ? [
            paragraph('在您设置通行密钥或验证器应用之前，您无法访问该账户。设置大约需要一分钟。'),
            button('立即设置', link),
          ]
        : [paragraph('您已有两步验证方式，因此对您没有影响。')]),
      rows(['更改人', changedBy], ['时间', at]),
      small(`您收到此邮件，是因为您是 ${merchant} 的成员。`),
    ),
  'two-factor-optional': ({ merchant, changedBy, at }) =>
    mail(
      `${merchant} 不再要求使用两步验证`,
      paragraph('没有两步验证方式的成员又可以访问该账户。'),
      rows(['更改人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录，重新要求两步验证，并检查谁拥有访问权限。'),
    ),
  'member-without-two-factor': ({ merchant, member, at }) =>
    mail(
      `${member} 不再有两步验证方式`,
      paragraph(`对方移除了最后一种方式，在重新设置之前无法访问 ${merchant}。`),
      rows(['成员', member], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果您对此并不知情，请当面或通过电话向对方确认。'),
    ),
};
