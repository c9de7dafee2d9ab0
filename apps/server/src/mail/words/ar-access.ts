import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'لا يوجد', support: 'الدعم', operator: 'مشغّل' } as const;

/** Arabic texts of emails about what an operator did with a person's access. */
export const arAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'عُطّل حسابك',
      paragraph('لم يعد بإمكانك تسجيل الدخول، وانتهت جميع جلساتك.'),
      rows(['الوقت', at]),
      small('إذا كنت لا تعرف السبب، فاسأل مشغّل هذه الخدمة.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'أُعيد تفعيل حسابك',
      paragraph('يمكنك تسجيل الدخول كما كنت، بكلمة المرور والعوامل الثانية التي كانت لديك.'),
      rows(['الوقت', at]),
      small('إذا لم تكن تتوقع ذلك، فغيّر كلمة المرور وأبلغ مشغّل هذه الخدمة.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'تغيّر دورك في هذه الخدمة',
      paragraph('انتهت جلساتك. يسري الدور الجديد من تسجيل دخولك التالي.'),
      rows(['الدور', STAFF_ROLES[staffRole]], ['الوقت', at]),
      small('إذا لم تكن تتوقع ذلك، فأبلغ مشغّلًا آخر لهذه الخدمة فورًا.'),
    ),
};
