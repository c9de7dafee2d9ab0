import type { MailFactor, MailRole } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { zhAccess } from './zh-access.ts';
import { becauseOwner, zhMethods } from './zh-methods.ts';
import { zhRestores, undoOr } from './zh-restores.ts';
import { zhTwoFactor } from './zh-two-factor.ts';

/** Chinese words of mails. */

const ROLES: Record<MailRole, string> = {
  owner: '所有者',
  admin: '管理员',
  developer: '开发人员',
  finance: '财务',
  viewer: '只读成员',
};

const FACTORS: Record<MailFactor, string> = {
  app: '身份验证器应用',
  passkey: '通行密钥',
  'recovery-codes': '新的恢复码；旧的恢复码已失效',
  all: '全部第二重验证',
};

const NOT_ME = '如果不是您本人操作，请登录、修改密码并结束所有其他会话，然后告知其他所有者或您的管理员。';
const BECAUSE_YOURS = '您收到此邮件，是因为它关系到您自己的登录安全。';
const becauseMember = (merchant: string) => `您收到此邮件，是因为您是 ${merchant} 的成员。您可以在控制台关闭此类邮件。`;

const moreOf = (more: number) => (more > 0 ? [paragraph(`店铺另有 ${more} 项变更。审计日志列出全部变更。`)] : []);

export const zh: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      '请确认您的邮箱地址',
      paragraph('确认此邮箱属于您之后，即可用它登录。'),
      button('确认邮箱', link),
      paragraph(`链接仅可使用一次，有效期至 ${expiresAt}。`),
      small('您收到此邮件，是因为有人在 Counterfoil 填写了这个邮箱。如果不是您，请忽略：不点链接就不会发生任何事。'),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `邀请您加入 ${merchant}`,
      paragraph(`${inviter} 邀请您以“${ROLES[role]}”身份加入 ${merchant}。`),
      button('查看邀请', link),
      paragraph(`链接仅可使用一次，且只对此邮箱有效，有效期至 ${expiresAt}。`),
      small(`您收到此邮件，是因为 ${inviter} 填写了您的邮箱。如果您不认识对方，请忽略：不点链接就不会发生任何事。`),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      '设置新密码',
      paragraph('有人为此邮箱申请了新密码。'),
      button('设置密码', link),
      paragraph(`链接仅可使用一次，有效期至 ${expiresAt}。登录时仍需要您的第二重验证。`),
      small('您收到此邮件，是因为此邮箱可以登录 Counterfoil。如果不是您申请的，请忽略：您的密码不会改变。'),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      '您的密码已修改',
      paragraph('您的密码已修改，所有其他会话均已结束。'),
      rows(['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, '如果不是您本人操作，请立即使用“忘记密码”，然后告知其他所有者或您的管理员。'),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      '您的邮箱地址已更改',
      paragraph('您现在使用另一个邮箱登录，此邮箱不再使用。'),
      rows(['新邮箱', newAddress], ['时间', at]),
      small('此邮件发送到您的旧邮箱，以免有人在您不知情的情况下夺走您的登录权限。'),
      ...undoOr(link, '如果不是您本人操作，请立即告知其他所有者或您的管理员：他们可以停用您的登录权限。'),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      '已添加第二重验证',
      paragraph('从现在起，您也可以用它来确认登录。'),
      rows(['第二重验证', FACTORS[factor]], ['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      '已移除第二重验证',
      paragraph('它不能再用于确认您的登录。'),
      rows(['第二重验证', FACTORS[factor]], ['时间', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      '您的第二重验证即将被重置',
      paragraph(`${requestedBy} 申请移除您的全部第二重验证，以便您重新设置。`),
      rows(['生效时间', effectiveAt]),
      paragraph('如果您的第二重验证并未丢失，请在此之前阻止重置。'),
      button('阻止重置', link),
      small(BECAUSE_YOURS),
      small('如果不应有人提出此申请，请先阻止，再修改密码并告知其他所有者。'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `${person} 的第二重验证即将被重置`,
      paragraph(`${requestedBy} 申请移除 ${person} 的全部第二重验证，之后其可重新设置。`),
      rows(['生效时间', effectiveAt]),
      paragraph('请当面或通过电话向其本人核实。如果其第二重验证并未丢失，请阻止重置。'),
      button('阻止重置', link),
      small('您收到此邮件，是因为您是其所在商户账户的所有者。'),
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
      `您在 ${merchant} 的角色已变更`,
      paragraph(`您现在是 ${merchant} 的“${ROLES[role]}”。`),
      rows(['变更人', changedBy]),
      small(`您收到此邮件，是因为您是 ${merchant} 的成员。`),
      small('如有错误，请联系其所有者。'),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} 不再是 ${merchant} 的成员` : `${member} 现在是 ${merchant} 的成员`,
      paragraph(role === null ? '此人已没有访问权限。' : `其角色为“${ROLES[role]}”。`),
      rows(['成员', member], ['变更人', changedBy], ['时间', at]),
      ...(more > 0 ? [paragraph(`团队另有 ${more} 项变更。审计日志列出全部变更。`)] : []),
      small(becauseOwner(merchant)),
      small('如果这不应发生，请登录，在团队页面更正，并锁定所有变更。'),
    ),
  ...zhAccess,
  ...zhMethods,
  ...zhRestores,
  ...zhTwoFactor,
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} 有了新的 API 密钥`,
      paragraph('旧密钥失效后，仍在使用它的程序将被拒绝。'),
      rows(['店铺', store], ['新密钥结尾', hint], ['旧密钥有效至', oldEndsAt], ['更改人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您的人员所为，请立即登录，锁定所有变更，并检查谁拥有访问权限。'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} 有了新的 Webhook 密钥`,
      paragraph('从现在起 Webhook 使用新密钥签名；在旧密钥失效之前，也同时用旧密钥签名。'),
      rows(['店铺', store], ['旧密钥签名至', oldEndsAt], ['更改人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您的人员所为，请立即登录，锁定所有变更，并检查谁拥有访问权限。'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `${store} 已启用` : `${store} 已停用`,
      paragraph(active ? '它重新接受新账单。' : '它不再接受新账单。未结账单仍可支付，您仍会收到通知。'),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不应发生此事，请登录查看该店铺，或询问运营本服务的人员。'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `${store} 的客服联系方式已更改` : `${store} 的品牌外观已更改`,
      paragraph(
        contact
          ? '顾客会在付款页面看到新的联系方式，遇到问题时会按它联系。'
          : '付款页面从现在起显示新的名称、颜色或标志。',
      ),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录，在品牌页面改正，并检查谁拥有访问权限。'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} 现在可以发送不经 HTTPS 的 Webhook`,
      paragraph('设置“仅向 https 发送 Webhook”已关闭。发往 http 地址的 Webhook 不加密。'),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录，重新开启该设置，并检查谁拥有访问权限。'),
    ),
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `客服人员正在查看 ${merchant}`,
      paragraph('运营本服务的人员以只读方式打开了您的商户账户，无法更改任何内容。'),
      rows(['查看人', operator], ['原因', reason], ['截止时间', until]),
      small(becauseOwner(merchant)),
      small('此事已记入您的审计记录。如果您对此并不知情，请询问运营本服务的人员。'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `您不再是 ${merchant} 的成员`,
      paragraph(`您对 ${merchant} 的访问权限已结束。`),
      rows(['操作人', changedBy], ['时间', at]),
      small(`您收到此邮件，是因为您此前是 ${merchant} 的成员。`),
      small('如果这是误操作，请询问其所有者。'),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `${store} 的余额即将用完`,
      paragraph('余额用完后将无法创建新的账单。请在此之前充值。'),
      rows(['商店', store], ['可用余额', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `${store} 的 webhook 已失败一天` : `${store} 的 webhook 发送失败`,
      paragraph('您的服务器没有接受我们的 webhook，您的商店可能不知道已有付款。我们会继续尝试。'),
      rows(['商店', store], ['接收方', host], ['开始时间', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `${store} 的 webhook 已恢复`,
      paragraph('您的服务器重新接受我们的 webhook。仍在等待的正在发送。'),
      rows(['商店', store], ['接收方', host], ['时间', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `${merchant} 收到了不对应任何账单的款项`,
      paragraph('请在控制台查看：您可以将每笔付款归到其对应的账单。'),
      rows(['付款笔数', String(count)], ['时间', at]),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `${store} 的旧 API 密钥即将失效`,
      paragraph('仍在使用它的程序此后无法创建账单。请在此之前换成新密钥。'),
      rows(['商店', store], ['密钥结尾', hint], ['有效至', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `${merchant} 的交易所账户密钥即将失效`,
      paragraph('失效前不久，该账户将不再提供给付款人。请在此之前提供新密钥。'),
      rows(['平台', network], ['账户', account], ['有效至', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'Counterfoil 邮件功能正常',
      paragraph('这是一封测试邮件，您无需进行任何操作。'),
      small('您收到此邮件，是因为本服务器的运维人员将其发送到此邮箱。如属误发，请忽略。'),
    ),
};
