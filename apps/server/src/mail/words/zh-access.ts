import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: '无', support: '客服', operator: '运营者' } as const;

/** Chinese texts of emails about what an operator did with a person's access. */
export const zhAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      '您的账户已被停用',
      paragraph('您无法再登录，所有会话均已结束。'),
      rows(['时间', at]),
      small('如果您不清楚原因，请询问本服务的运营者。'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      '您的账户已重新启用',
      paragraph('您可以像以前一样，使用原有的密码和双重验证方式登录。'),
      rows(['时间', at]),
      small('如果您对此并不知情，请更改密码并告知本服务的运营者。'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      '您在本服务中的角色已更改',
      paragraph('您的会话已结束。新角色自下次登录起生效。'),
      rows(['角色', STAFF_ROLES[staffRole]], ['时间', at]),
      small('如果您对此并不知情，请立即告知本服务的其他运营者。'),
    ),
};
