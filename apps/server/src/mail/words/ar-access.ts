import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'لا يوجد', support: 'الدعم', operator: 'مشغّل' } as const;

export const arAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'عُطّل حسابك',
      paragraph('لم يعد بإمكانك تسجيل الدخول، وأُنهيت جميع جلساتك.'),
      rows(['الوقت', at]),
      small('إذا كنت لا تعرف السبب، فتواصل مع المشغّل.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'أُعيد تفعيل حسابك',
      paragraph('يمكنك تسجيل الدخول من جديد، بكلمة المرور والعوامل الثانية نفسها.'),
      rows(['الوقت', at]),
      small('إذا لم تكن تتوقع ذلك، فغيّر كلمة المرور وتواصل مع المشغّل.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'تغيّر دورك لدى المشغّل',
      paragraph('أُنهيت جميع جلساتك. يسري الدور الجديد من تسجيل دخولك التالي.'),
      rows(['الدور', STAFF_ROLES[staffRole]], ['الوقت', at]),
      small('إذا لم تكن تتوقع ذلك، فتواصل مع مشغّل آخر فورًا.'),
    ),
};
