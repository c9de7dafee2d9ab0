import type { MailFactor, MailRole } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { arAccess } from './ar-access.ts';
import { becauseOwner, arMethods } from './ar-methods.ts';
import { arRestores, undoOr } from './ar-restores.ts';
import { arTwoFactor } from './ar-two-factor.ts';

/** Arabic words of mails. */

const ROLES: Record<MailRole, string> = {
  owner: 'مالك',
  admin: 'مدير',
  developer: 'مطوّر',
  finance: 'مالية',
  viewer: 'اطّلاع فقط',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'تطبيق المصادقة',
  passkey: 'مفتاح المرور',
  'recovery-codes': 'رموز استرداد جديدة، والرموز السابقة لم تعد صالحة',
  all: 'جميع عوامل التحقق الثانية',
};

const NOT_ME =
  'إذا لم تكن أنت من فعل ذلك، فسجّل الدخول وغيّر كلمة المرور وأنهِ جميع الجلسات الأخرى، ثم أبلغ مالكًا آخر أو المدير لديك.';
const BECAUSE_YOURS = 'تصلك هذه الرسالة لأنها تخص أمان دخولك أنت.';
const becauseMember = (merchant: string) =>
  `تصلك هذه الرسالة لأنك تعمل في ${merchant}. يمكنك إيقاف هذه الرسائل من لوحة التحكم.`;

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`حدثت ${more} تغييرات أخرى في المتاجر. يعرضها سجل التدقيق كلها.`)] : [];

export const ar: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'أكّد عنوان بريدك الإلكتروني',
      paragraph('أكّد أن هذا العنوان لك، ليمكنك تسجيل الدخول به.'),
      button('تأكيد العنوان', link),
      paragraph(`يعمل الرابط مرة واحدة فقط، حتى ${expiresAt}.`),
      small(
        'تصلك هذه الرسالة لأن شخصًا أدخل هذا العنوان في Counterfoil. إذا لم تكن أنت فتجاهلها: لن يحدث شيء من دون الرابط.',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `دعوة إلى ${merchant}`,
      paragraph(`يدعوك ${inviter} إلى العمل في ${merchant} بدور «${ROLES[role]}».`),
      button('عرض الدعوة', link),
      paragraph(`يعمل الرابط مرة واحدة فقط ولهذا العنوان وحده، حتى ${expiresAt}.`),
      small(`تصلك هذه الرسالة لأن ${inviter} أدخل عنوانك. إذا كنت لا تعرفه فتجاهلها: لن يحدث شيء من دون الرابط.`),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'اختر كلمة مرور جديدة',
      paragraph('طلب شخص كلمة مرور جديدة لهذا العنوان.'),
      button('اختيار كلمة المرور', link),
      paragraph(`يعمل الرابط مرة واحدة فقط، حتى ${expiresAt}. ويبقى العامل الثاني للتحقق مطلوبًا.`),
      small(
        'تصلك هذه الرسالة لأن لهذا العنوان حق الدخول إلى Counterfoil. إذا لم تطلب ذلك فتجاهلها: ستبقى كلمة مرورك كما هي.',
      ),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      'تم تغيير كلمة مرورك',
      paragraph('تم تغيير كلمة مرورك وإنهاء جميع الجلسات الأخرى.'),
      rows(['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, 'إذا لم تكن أنت من فعل ذلك، فاستخدم «نسيت كلمة المرور» فورًا، ثم أبلغ مالكًا آخر أو المدير لديك.'),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'تم تغيير عنوان بريدك الإلكتروني',
      paragraph('أصبحت تسجّل الدخول بعنوان بريد آخر، ولم يعد هذا العنوان مستخدمًا.'),
      rows(['العنوان الجديد', newAddress], ['الوقت', at]),
      small('تصلك هذه الرسالة على عنوانك القديم حتى لا يستولي أحد على دخولك دون علمك.'),
      ...undoOr(link, 'إذا لم تكن أنت من فعل ذلك، فأبلغ فورًا مالكًا آخر أو المدير لديك: يمكنهم إيقاف دخولك.'),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'تمت إضافة عامل ثانٍ للتحقق',
      paragraph('يمكنك من الآن تأكيد تسجيل دخولك به أيضًا.'),
      rows(['العامل الثاني', FACTORS[factor]], ['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      'تمت إزالة عامل ثانٍ للتحقق',
      paragraph('لم يعد ممكنًا تأكيد تسجيل دخولك به.'),
      rows(['العامل الثاني', FACTORS[factor]], ['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      'ستُعاد تهيئة عوامل التحقق الثانية لديك',
      paragraph(`طلب ${requestedBy} إزالة جميع عوامل التحقق الثانية لديك لتتمكن من إعداد عوامل جديدة.`),
      rows(['موعد النفاذ', effectiveAt]),
      paragraph('إذا لم تكن قد فقدت عوامل التحقق، فأوقف ذلك قبل هذا الموعد.'),
      button('إيقاف إعادة التهيئة', link),
      small(BECAUSE_YOURS),
      small('إذا لم يكن لأحد أن يطلب ذلك، فأوقفه وغيّر كلمة المرور وأبلغ مالكًا آخر.'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `ستُعاد تهيئة عوامل التحقق الثانية لدى ${person}`,
      paragraph(`طلب ${requestedBy} إزالة جميع عوامل التحقق الثانية لدى ${person}، ليمكن بعد ذلك إعداد عوامل جديدة.`),
      rows(['موعد النفاذ', effectiveAt]),
      paragraph('تحقق من الأمر مع صاحب الحساب شخصيًا أو هاتفيًا. إذا لم تُفقد عوامل التحقق، فأوقف ذلك.'),
      button('إيقاف إعادة التهيئة', link),
      small('تصلك هذه الرسالة لأنك أحد مالكي حساب تاجر يعمل فيه هذا الشخص.'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      'تم استخدام رمز استرداد',
      paragraph('سجّل شخص الدخول بكلمة مرورك وأحد رموز الاسترداد الخاصة بك.'),
      rows(['الوقت', at], ['الرموز المتبقية', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      'تسجيل دخول جديد إلى حسابك',
      paragraph('سُجّل الدخول إلى حسابك من متصفح أو شبكة لم تستخدمهما من قبل.'),
      rows(['المتصفح', browser], ['عنوان IP', ip], ['الوقت', at]),
      paragraph('إذا كنت أنت، فيمكنك تجاهل هذه الرسالة.'),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'role-changed': ({ merchant, changedBy, role }) =>
    mail(
      `تغيّر دورك في ${merchant}`,
      paragraph(`دورك في ${merchant} الآن هو «${ROLES[role]}».`),
      rows(['غيّره', changedBy]),
      small(`تصلك هذه الرسالة لأنك تعمل في ${merchant}.`),
      small('إذا كان ذلك خطأ، فاسأل أحد المالكين.'),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `لم يعد ${member} يعمل في ${merchant}` : `يعمل ${member} الآن في ${merchant}`,
      paragraph(role === null ? 'لم يعد لديه أي صلاحية دخول.' : `دوره هو «${ROLES[role]}».`),
      rows(['العضو', member], ['غيّره', changedBy], ['متى', at]),
      ...(more > 0 ? [paragraph(`حدثت ${more} تغييرات أخرى في الفريق. يعرضها سجل التدقيق كلها.`)] : []),
      small(becauseOwner(merchant)),
      small('إذا لم يكن ينبغي أن يحدث هذا، فسجّل الدخول وصحّحه في صفحة الفريق واقفل جميع التغييرات.'),
    ),
  ...arAccess,
  ...arMethods,
  ...arRestores,
  ...arTwoFactor,
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `لدى ${store} مفتاح API جديد`,
      paragraph('ستُرفض البرامج التي تستخدم المفتاح القديم عند انتهائه.'),
      rows(
        ['المتجر', store],
        ['نهاية المفتاح الجديد', hint],
        ['يعمل القديم حتى', oldEndsAt],
        ['غيّره', changedBy],
        ['الوقت', at],
      ),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول فورًا وأقفل كل التغييرات وراجع من لديه صلاحية الوصول.'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, changedBy, at }) =>
    mail(
      `لدى ${store} سر webhook جديد`,
      paragraph('تُوقّع رسائل webhook من الآن بالسر الجديد، وبالسر القديم أيضًا حتى ينتهي.'),
      rows(['المتجر', store], ['يوقّع القديم حتى', oldEndsAt], ['غيّره', changedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول فورًا وأقفل كل التغييرات وراجع من لديه صلاحية الوصول.'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `شُغّل ${store}` : `أُوقف ${store}`,
      paragraph(
        active
          ? 'يقبل فواتير جديدة من جديد.'
          : 'لا يقبل فواتير جديدة. أما الفواتير المفتوحة فيمكن دفعها، وستصلك الإشعارات كما كانت.',
      ),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا كان يجب ألا يحدث ذلك، فسجّل الدخول وراجع المتجر، أو اسأل القائمين على هذه الخدمة.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `تغيّرت جهة الدعم في ${store}` : `تغيّرت هوية ${store}`,
      paragraph(
        contact
          ? 'يرى العملاء جهة الدعم الجديدة في صفحات الدفع ويتواصلون معها عند حدوث مشكلة.'
          : 'تعرض صفحات الدفع من الآن الاسم أو اللون أو الشعار الجديد.',
      ),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وصحّحه في صفحة الهوية وراجع من لديه صلاحية الوصول.'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `يمكن لـ ${store} الآن إرسال webhooks بلا HTTPS`,
      paragraph('أُوقف الإعداد «خطافات الويب إلى https فقط». رسائل webhook إلى عناوين http غير مشفرة.'),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وشغّل الإعداد من جديد وراجع من لديه صلاحية الوصول.'),
    ),
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `فريق الدعم يطّلع على ${merchant}`,
      paragraph('فتح أحد القائمين على هذه الخدمة حساب التاجر الخاص بك للاطّلاع فقط، ولا يمكنه تغيير شيء.'),
      rows(['من', operator], ['السبب', reason], ['حتى', until]),
      small(becauseOwner(merchant)),
      small('سُجّل ذلك في سجل التدقيق لديك. إذا لم تكن تتوقعه، فاسأل القائمين على هذه الخدمة.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `لم تعد تعمل في ${merchant}`,
      paragraph(`انتهت صلاحية دخولك إلى ${merchant}.`),
      rows(['أنهاها', changedBy], ['متى', at]),
      small(`تصلك هذه الرسالة لأنك كنت تعمل في ${merchant} حتى الآن.`),
      small('إذا كان هذا خطأ، فاسأل أحد المالكين.'),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `رصيد ${store} على وشك النفاد`,
      paragraph('عند نفاده لا يمكن إنشاء فواتير جديدة. اشحنه قبل ذلك.'),
      rows(['المتجر', store], ['المتاح', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `إشعارات ${store} تفشل منذ يوم` : `إشعارات ${store} تفشل`,
      paragraph('لا يستقبل خادمك إشعاراتنا، وقد لا يعلم متجرك بالمدفوعات. نواصل المحاولة.'),
      rows(['المتجر', store], ['المستقبِل', host], ['منذ', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `إشعارات ${store} تصل من جديد`,
      paragraph('عاد خادمك إلى استقبال إشعاراتنا. ويجري إرسال ما كان ينتظر منها.'),
      rows(['المتجر', store], ['المستقبِل', host], ['متى', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `وصلت أموال إلى ${merchant} لا تخص أي فاتورة`,
      paragraph('اطّلع عليها في لوحة التحكم: يمكنك ربط كل دفعة بالفاتورة التي قُصدت بها.'),
      rows(['الدفعات', String(count)], ['متى', at]),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `مفتاح API قديم لـ ${store} على وشك الانتهاء`,
      paragraph('ما زال يستخدمه لن يستطيع إنشاء فواتير بعد ذلك. أعطه المفتاح الجديد قبل ذلك.'),
      rows(['المتجر', store], ['ينتهي المفتاح بـ', hint], ['صالح حتى', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `مفتاح حساب منصة لدى ${merchant} على وشك الانتهاء`,
      paragraph('قبيل انتهائه لا يُعرض الحساب على الدافعين. أعطنا مفتاحًا جديدًا قبل ذلك.'),
      rows(['المنصة', network], ['الحساب', account], ['صالح حتى', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'بريد Counterfoil يعمل',
      paragraph('هذه رسالة اختبار. ليس عليك فعل أي شيء.'),
      small('تصلك هذه الرسالة لأن أحد مشغّلي هذا الخادم أرسلها إلى هذا العنوان. إذا كان ذلك خطأ فتجاهلها.'),
    ),
};
