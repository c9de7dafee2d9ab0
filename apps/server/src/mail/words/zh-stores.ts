import type { StoreWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './zh-methods.ts';

const moreOf = (more: number) => (more > 0 ? [paragraph(`店铺的其他更改：${more} 项。审计日志列出全部更改。`)] : []);

export const zhStores: StoreWords = {
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} 有了新的 API 密钥`,
      paragraph('旧密钥失效后将被拒绝。请在此之前把您的程序换成新密钥。'),
      rows(['店铺', store], ['新密钥结尾', hint], ['旧密钥失效时间', oldEndsAt], ['更改人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请立即登录，锁定所有更改，并检查谁拥有访问权限。'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, endpoint, changedBy, at }) =>
    mail(
      `${store} 有了新的 Webhook 密钥`,
      paragraph('Webhook 现在使用新密钥签名；在旧密钥失效之前，也同时用旧密钥签名。'),
      rows(
        ['店铺', store],
        ...(endpoint === null ? [] : [['端点', endpoint] as const]),
        ['旧密钥失效时间', oldEndsAt],
        ['更改人', changedBy],
        ['时间', at],
      ),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请立即登录，锁定所有更改，并检查谁拥有访问权限。'),
    ),
  'webhook-endpoint-added': ({ merchant, store, url, changedBy, at }) =>
    mail(
      `${store} 添加了新的 Webhook 端点`,
      paragraph('该店铺的事件现在也会发送到这个 URL，并使用单独的密钥签名。'),
      rows(['店铺', store], ['端点', url], ['添加人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请立即登录，删除该端点，并检查谁拥有访问权限。'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `${store} 已启用` : `${store} 已停用`,
      paragraph(active ? '店铺重新接受新账单。' : '店铺不接受新账单。未结账单仍可支付，您仍会收到通知。'),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如属误操作，请登录检查该店铺，或联系您的运营方。'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `${store} 的客服联系方式已更改` : `${store} 的付款页面外观已更改`,
      paragraph(
        contact
          ? '付款页面现在显示新的客服联系方式，顾客遇到问题时会使用它。'
          : '付款页面现在显示新的名称、颜色或标志。',
      ),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录，在控制台改正，并检查谁拥有访问权限。'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} 现在可以发送不经 HTTPS 的 Webhook`,
      paragraph('设置“Webhook 必须使用 HTTPS”已关闭。发往 http 地址的 Webhook 不加密。'),
      rows(['店铺', store], ['更改人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录，重新开启该设置，并检查谁拥有访问权限。'),
    ),
  'payment-attached': ({ merchant, store, invoice, changedBy, at, more }) =>
    mail(
      `一笔付款已归入 ${invoice}`,
      paragraph('这笔付款与账单不匹配，但会使账单完成。此操作无法撤销。'),
      rows(['店铺', store], ['账单', invoice], ['归入人', changedBy], ['时间', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录并检查谁拥有访问权限。'),
    ),
  'audit-exported': ({ merchant, changedBy, at }) =>
    mail(
      `${merchant} 的审计日志已被导出`,
      paragraph('该文件显示谁为商户工作、从哪里登录以及更改了什么。'),
      rows(['导出人', changedBy], ['时间', at]),
      small(becauseOwner(merchant)),
      small('如果不是您团队的人所为，请登录并检查谁拥有访问权限。'),
    ),
};
