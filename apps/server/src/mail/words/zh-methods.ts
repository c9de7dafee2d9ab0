import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `您收到此邮件，是因为您是 ${merchant} 的所有者。`;

/** Chinese texts of emails about payment methods. */
export const zhMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} 即将使用新的收款地址`,
      paragraph('请将地址的首尾与您预期的钱包核对。'),
      rows(['店铺', store], ['网络', network], ['新地址', address], ['申请人', requestedBy], ['生效时间', effectiveAt]),
      paragraph('如有任何不对，请阻止此变更。任何一位所有者都可以这样做，不会影响其他事项。'),
      button('查看或阻止', link),
      small(becauseOwner(merchant)),
      small('如果您这边没有人提出申请，请先阻止，再检查谁能访问您的店铺。'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `${store} 不会启用新的收款地址`,
      paragraph('该变更在生效前已被撤回。其他事项不受影响。'),
      rows(['店铺', store], ['网络', network], ['地址', address], ['撤回人', cancelledBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果确实需要此变更，请重新申请；等待期将重新计算。'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} 已启用新的收款地址`,
      paragraph('从现在起，新账单将显示此地址。'),
      rows(['店铺', store], ['网络', network], ['新地址', address], ['启用时间', at]),
      small(becauseOwner(merchant)),
      small('如果您不认识此地址，请立即登录，移除该地址并锁定所有变更。'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `${store} 不再使用一个收款地址`,
      paragraph('新账单不再显示此地址。此前已要求支付的款项仍可支付。'),
      rows(['店铺', store], ['网络', network], ['地址', address], ['移除人', removedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果这不应发生，请登录并重新添加该地址；新地址会在等待期后生效。'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `${merchant} 的收款方式变更等待时间有变`,
      paragraph('运营方更改了新收款方式生效前的等待时间。缩短后的时间要等原来的时间过去之后才适用。'),
      rows(['小时', String(hours)], ['适用时间', from]),
      small(becauseOwner(merchant)),
      small('如果不是您的团队提出的，请登录并锁定变更，然后联系运营方。'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `${merchant} 的变更已锁定`,
      paragraph('待生效的收款方式变更已停止，也不能再提出新的变更或生成新的 API 密钥。'),
      rows(['锁定人', lockedBy], ['时间', at]),
      paragraph('收款照常进行。所有者登录后可以解除锁定。'),
      small(becauseOwner(merchant)),
      small('如果您不清楚原因，请先询问锁定的人，再解除锁定。'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `${merchant} 的变更已恢复`,
      paragraph('可以再次更改收款方式和 API 密钥。已停止的变更不会恢复。'),
      rows(['解除人', unlockedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不应发生此事，请登录并重新锁定变更。'),
    ),
};
