import type { Role } from '@counterfoil/core/permission.ts';
import type { MailFactor } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { zhAccess } from './zh-access.ts';
import { becauseOwner, zhMethods } from './zh-methods.ts';
import { zhRestores, undoOr } from './zh-restores.ts';
import { zhStores } from './zh-stores.ts';
import { zhTwoFactor } from './zh-two-factor.ts';

const ROLES: Record<Role, string> = {
  owner: '所有者',
  admin: '管理员',
  developer: '开发者',
  finance: '财务',
  viewer: '查看者',
};

const FACTORS: Record<MailFactor, string> = {
  app: '验证器应用',
  passkey: '通行密钥',
  'recovery-codes': '新的恢复码；旧的恢复码已失效',
  all: '全部两步验证方式',
};

const NOT_ME = '如果不是您本人操作，请登录、修改密码并结束所有其他会话，然后联系您账户的其他所有者或您的运营方。';
const BECAUSE_YOURS = '您收到此邮件，是因为它关系到您账户的安全。';
const becauseMember = (merchant: string) => `您收到此邮件，是因为您是 ${merchant} 的成员。您可以在控制台关闭此类邮件。`;

export const zh: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      '请确认您的邮箱',
      paragraph('确认此邮箱后，即可用它登录。'),
      button('确认邮箱', link),
      paragraph(`链接仅可使用一次，有效期至 ${expiresAt}。`),
      small(
        '您收到此邮件，是因为有人在 Counterfoil 填写了这个邮箱。如果不是您本人，请忽略：不使用链接就不会发生任何事。',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `邀请您加入 ${merchant}`,
      paragraph(`${inviter} 邀请您加入 ${merchant}，角色为“${ROLES[role]}”。`),
      button('查看邀请', link),
      paragraph(`链接仅可使用一次，且只对此邮箱有效，有效期至 ${expiresAt}。`),
      small(`您收到此邮件，是因为 ${inviter} 填写了您的邮箱。如果您不认识对方，请忽略：不使用链接就不会发生任何事。`),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      '重置您的密码',
      paragraph('有人为此邮箱申请了新密码。'),
      button('设置密码', link),
      paragraph(`链接仅可使用一次，有效期至 ${expiresAt}。登录时仍需要您的两步验证方式。`),
      small('您收到此邮件，是因为此邮箱可以登录 Counterfoil。如果您没有申请新密码，请忽略：您的密码不会改变。'),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      '您的密码已修改',
      paragraph('您的密码已修改，所有其他会话均已结束。'),
      rows(['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(
        link,
        '如果不是您本人操作，请立即在登录页使用“忘记密码？”重置密码，然后联系您账户的其他所有者或您的运营方。',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      '您的邮箱已更改',
      paragraph('您现在使用另一个邮箱登录，此邮箱不再使用。'),
      rows(['新邮箱', newAddress], ['时间', at]),
      small('此邮件发送到您的旧邮箱，以免有人在您不知情的情况下夺走您的账户。'),
      ...undoOr(link, '如果不是您本人操作，请立即联系您账户的其他所有者或您的运营方。他们可以停止对您账户的访问。'),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      '已添加两步验证方式',
      paragraph('您现在也可以用它来确认登录。'),
      rows(['两步验证方式', FACTORS[factor]], ['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      '已移除两步验证方式',
      paragraph('它不能再用于确认您的登录。'),
      rows(['两步验证方式', FACTORS[factor]], ['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      '您的两步验证方式即将被重置',
      paragraph(`${requestedBy} 申请移除您的全部两步验证方式，以便您重新设置。`),
      rows(['生效时间', effectiveAt]),
      paragraph('如果您还有这些两步验证方式，请在此之前阻止重置。'),
      button('阻止重置', link),
      small(BECAUSE_YOURS),
      small('如果不是您本人申请的，请阻止重置，修改密码并联系您账户的其他所有者。'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `${person} 的两步验证方式即将被重置`,
      paragraph(`${requestedBy} 申请移除 ${person} 的全部两步验证方式，之后其可重新设置。`),
      rows(['生效时间', effectiveAt]),
      paragraph('请当面或通过电话向其本人核实。如果其仍有两步验证方式，请阻止重置。'),
      button('阻止重置', link),
      small('您收到此邮件，是因为您是其所属商户账户的所有者。'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      '恢复码已被使用',
      paragraph('有人使用您的密码和一个恢复码登录。'),
      rows(['时间', at], ['剩余恢复码', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      '您的账户有新的登录',
      paragraph('有人从您以前没有用过的浏览器或网络登录了您的账户。'),
      rows(['浏览器', browser], ['IP 地址', ip], ['时间', at]),
      paragraph('如果是您本人，可以忽略此邮件。'),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'role-changed': ({ merchant, changedBy, role }) =>
    mail(
      `您在 ${merchant} 的角色已更改`,
      paragraph(`您现在是 ${merchant} 的“${ROLES[role]}”。`),
      rows(['更改人', changedBy]),
      small(`您收到此邮件，是因为您是 ${merchant} 的成员。`),
      small(`如有错误，请联系 ${merchant} 的所有者。`),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} 不再是 ${merchant} 的成员` : `${member} 现在是 ${merchant} 的成员`,
      paragraph(role === null ? '此人已没有访问权限。' : `其角色为“${ROLES[role]}”。`),
      rows(['成员', member], ['更改人', changedBy], ['时间', at]),
      ...(more > 0 ? [paragraph(`团队的其他更改：${more} 项。审计日志列出全部更改。`)] : []),
      small(becauseOwner(merchant)),
      small('如属误操作，请登录，在团队页面更正，并锁定所有更改。'),
    ),
  ...zhAccess,
  ...zhMethods,
  ...zhRestores,
  ...zhStores,
  ...zhTwoFactor,
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `您的运营方开始了对 ${merchant} 的客服访问`,
      paragraph('运营方的一名工作人员可以查看您的商户账户，但不能更改任何内容。'),
      rows(['工作人员', operator], ['原因', reason], ['截止时间', until]),
      small(becauseOwner(merchant)),
      small('此次访问已记入您的审计日志。如果您对此并不知情，请联系您的运营方。'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `您不再是 ${merchant} 的成员`,
      paragraph(`您对 ${merchant} 的访问权限已结束。`),
      rows(['操作人', changedBy], ['时间', at]),
      small(`您收到此邮件，是因为您此前是 ${merchant} 的成员。`),
      small(`如有错误，请联系 ${merchant} 的所有者。`),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `${store} 的余额即将用完`,
      paragraph('余额用完后将无法创建新账单。请在此之前充值。'),
      rows(['店铺', store], ['可用余额', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `发往 ${store} 的 Webhook 已失败一天` : `发往 ${store} 的 Webhook 发送失败`,
      paragraph('您的服务器没有接受我们的 Webhook，您的店铺可能不知道已有付款。我们会继续重试。'),
      rows(['店铺', store], ['服务器', host], ['开始时间', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `发往 ${store} 的 Webhook 已恢复`,
      paragraph('您的服务器重新接受我们的 Webhook。我们正在发送尚未送达的 Webhook。'),
      rows(['店铺', store], ['服务器', host], ['时间', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `${merchant} 收到了没有对应账单的款项`,
      paragraph('请在控制台处理，您可以将每笔付款归入其账单。'),
      rows(['付款笔数', String(count)], ['时间', at]),
      small(becauseMember(merchant)),
    ),
  'payment-claimed': ({ merchant, store, amount, order, link }) =>
    mail(
      `一位顾客认领了 ${amount} 的付款`,
      paragraph(
        `${store} 的一位顾客提交了一笔与其账单不符的付款交易。交易哈希是公开的，因此认领不等于证明：归入之前请核对金额。`,
      ),
      rows(['实收', amount], ['订单', order]),
      button('查看付款', link),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `${store} 的一个旧 API 密钥即将失效`,
      paragraph('仍在使用它的程序此后无法创建账单。请在此之前换成新密钥。'),
      rows(['店铺', store], ['密钥结尾', hint], ['失效时间', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `${merchant} 的一个交易所账户密钥即将失效`,
      paragraph('密钥失效前不久，该账户将不再提供给顾客。请在此之前提供新密钥。'),
      rows(['平台', network], ['账户', account], ['失效时间', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'Counterfoil 邮件功能正常',
      paragraph('这是一封测试邮件，您无需进行任何操作。'),
      small('您收到此邮件，是因为本服务器的运营人员向此邮箱发送了测试邮件。如属误发，请忽略。'),
    ),
};
