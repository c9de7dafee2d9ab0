import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: '无', support: '客服', operator: '运营人员' } as const;

export const zhAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      '您的账户已被停用',
      paragraph('您无法再登录，所有会话均已结束。'),
      rows(['时间', at]),
      small('如果您不清楚原因，请联系您的运营方。'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      '您的账户已重新启用',
      paragraph('您可以重新登录，密码和两步验证方式与之前相同。'),
      rows(['时间', at]),
      small('如果您对此并不知情，请修改密码并联系您的运营方。'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      '您的工作人员角色已更改',
      paragraph('您的所有会话均已结束。新角色自下次登录起生效。'),
      rows(['角色', STAFF_ROLES[staffRole]], ['时间', at]),
      small('如果您对此并不知情，请立即联系其他运营人员。'),
    ),
};
