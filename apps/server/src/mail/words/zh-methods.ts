import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `您收到此邮件，是因为您是 ${merchant} 的所有者。`;

export const zhMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} 即将使用新的收款地址`,
      paragraph('请核对地址的开头和结尾与您的钱包一致。'),
      rows(['店铺', store], ['网络', network], ['新地址', address], ['申请人', requestedBy], ['生效时间', effectiveAt]),
      paragraph('如有任何不对，请阻止此更改。任何一位所有者都可以这样做，不会影响其他事项。'),
      button('查看或阻止更改', link),
      small(becauseOwner(merchant)),
      small('如果您的团队没有人提出申请，请立即阻止，并检查谁能访问您的店铺。'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `${store} 的收款地址更改已取消`,
      paragraph('此更改在生效前已取消，店铺照常收款。'),
      rows(['店铺', store], ['网络', network], ['地址', address], ['取消人', cancelledBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果您仍要使用此地址，请重新提出更改，并须经过完整的等待时间。'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} 已启用新的收款地址`,
      paragraph('新账单现在使用此地址。'),
      rows(['店铺', store], ['网络', network], ['新地址', address], ['启用时间', at]),
      small(becauseOwner(merchant)),
      small('如果您不认识此地址，请立即登录，移除该地址并锁定所有更改。'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `${store} 的一个收款地址已移除`,
      paragraph('新账单不再使用此地址。未结账单仍接受付到此地址的款项。'),
      rows(['店铺', store], ['网络', network], ['地址', address], ['移除人', removedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如属误操作，请登录并重新添加该地址，并须经过通常的等待时间。'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `${merchant} 更改收款方式的等待时间已更改`,
      paragraph('您的运营方更改了新收款方式生效前的等待时间。较短的等待时间要等当前的等待时间过去之后才适用。'),
      rows(['等待时间（小时）', String(hours)], ['开始适用', from]),
      small(becauseOwner(merchant)),
      small('如果您的团队没有人提出申请，请登录，锁定所有更改并联系您的运营方。'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `${merchant} 的更改已锁定`,
      paragraph('所有待生效的收款方式更改均已停止。在所有者解锁之前，不能提出新的更改，也不能生成新的 API 密钥。'),
      rows(['锁定人', lockedBy], ['时间', at]),
      paragraph('收款不受影响。所有者登录后可以解锁。'),
      small(becauseOwner(merchant)),
      small('如果您不清楚原因，请先询问锁定的人，再解锁。'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `${merchant} 的更改已解锁`,
      paragraph('可以重新更改收款方式和 API 密钥。已停止的更改不会恢复。'),
      rows(['解锁人', unlockedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如属误操作，请登录并重新锁定更改。'),
    ),
};
