import type { words as english } from '../en/notices.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'notice.api-keys': 'API 密钥即将失效',
  'notice.balance': '余额不足',
  'notice.exchange-keys': '交易所密钥即将失效',
  'notice.unmatched-money': '未匹配的款项',
  'notice.webhooks': 'Webhook 发送失败',
  'noticeAbout.api-keys': '旧密钥失效前一天。',
  'noticeAbout.balance': '当店铺余额低于阈值，或可用不足 3 天时。',
  'noticeAbout.exchange-keys': '在我们读取交易所账户所用的密钥失效之前。',
  'noticeAbout.unmatched-money': '每个商户每小时最多一次。',
  'noticeAbout.webhooks': '您的服务器一小时和一天没有应答之后。',
  'notices.about': '我们发往 {mail} 的邮件，按您的每个账户设置。',
  'notices.always': '关于登录、密钥、钱包和团队的邮件总会发送：它们保护您。',
  'notices.for': '更改即时保存。',
  'notices.none': '您不是任何账户的成员',
  'notices.noneAbout': '加入账户之后，您可以在此选择通知。',
  'notices.noneFor': '您在这里的角色不会收到此类邮件。',
};
