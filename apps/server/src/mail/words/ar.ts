import type { Role } from '@counterfoil/core/permission.ts';
import type { MailFactor } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { arAccess } from './ar-access.ts';
import { becauseOwner, arMethods } from './ar-methods.ts';
import { arRestores, undoOr } from './ar-restores.ts';
import { arStores } from './ar-stores.ts';
import { arTwoFactor } from './ar-two-factor.ts';

const ROLES: Record<Role, string> = {
  owner: 'مالك',
  admin: 'مدير',
  developer: 'مطوّر',
  finance: 'مالية',
  viewer: 'مشاهد',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'تطبيق المصادقة',
  passkey: 'مفتاح المرور',
  'recovery-codes': 'رموز استرداد جديدة، والرموز السابقة لم تعد صالحة',
  all: 'جميع العوامل الثانية',
};

const NOT_ME =
  'إذا لم تكن أنت من فعل ذلك، فسجّل الدخول وغيّر كلمة المرور وأنهِ جميع الجلسات الأخرى. ثم تواصل مع مالك آخر لحسابك أو مع المشغّل.';
const BECAUSE_YOURS = 'تصلك هذه الرسالة لأنها تخص أمان حسابك.';
const becauseMember = (merchant: string) =>
  `تصلك هذه الرسالة لأنك عضو في ${merchant}. يمكنك إيقاف هذه الرسائل من لوحة التحكم.`;

export const ar: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'أكّد بريدك الإلكتروني',
      paragraph('أكّد هذا البريد لتسجيل الدخول به.'),
      button('تأكيد العنوان', link),
      paragraph(`يعمل الرابط مرة واحدة فقط، وينتهي في ${expiresAt}.`),
      small(
        'تصلك هذه الرسالة لأن أحدهم أدخل هذا العنوان في Counterfoil. إذا لم تكن أنت فتجاهلها: لن يحدث شيء ما لم يُستخدم الرابط.',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `أنت مدعو إلى الانضمام إلى ${merchant}`,
      paragraph(`دعاك ${inviter} إلى الانضمام إلى ${merchant} بدور «${ROLES[role]}».`),
      button('عرض الدعوة', link),
      paragraph(`يعمل الرابط مرة واحدة فقط ولهذا العنوان وحده، وينتهي في ${expiresAt}.`),
      small(`تصلك هذه الرسالة لأن ${inviter} أدخل عنوانك. إذا كنت لا تعرفه فتجاهلها: لن يحدث شيء ما لم يُستخدم الرابط.`),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'أعد تعيين كلمة مرورك',
      paragraph('طلب أحدهم كلمة مرور جديدة لهذا البريد.'),
      button('اختيار كلمة مرور', link),
      paragraph(`يعمل الرابط مرة واحدة فقط، وينتهي في ${expiresAt}. ويبقى عاملك الثاني مطلوبًا لتسجيل الدخول.`),
      small(
        'تصلك هذه الرسالة لأن هذا البريد يمكن تسجيل الدخول به إلى Counterfoil. إذا لم تطلب كلمة مرور جديدة فتجاهلها: ستبقى كلمة مرورك كما هي.',
      ),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      'تم تغيير كلمة مرورك',
      paragraph('تم تغيير كلمة مرورك وإنهاء جميع الجلسات الأخرى.'),
      rows(['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(
        link,
        'إذا لم تكن أنت من فعل ذلك، فأعد تعيين كلمة المرور فورًا عبر «نسيت كلمة المرور؟» في صفحة تسجيل الدخول. ثم تواصل مع مالك آخر لحسابك أو مع المشغّل.',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'تم تغيير بريدك الإلكتروني',
      paragraph('أصبحت تسجّل الدخول ببريد آخر، ولم يعد هذا البريد مستخدمًا.'),
      rows(['العنوان الجديد', newAddress], ['الوقت', at]),
      small('أرسلنا هذه الرسالة إلى بريدك القديم حتى لا يستولي أحد على حسابك دون علمك.'),
      ...undoOr(
        link,
        'إذا لم تكن أنت من فعل ذلك، فتواصل فورًا مع مالك آخر لحسابك أو مع المشغّل. يمكنهم إيقاف الوصول إلى حسابك.',
      ),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'تمت إضافة عامل ثانٍ',
      paragraph('يمكنك الآن تأكيد تسجيل دخولك به أيضًا.'),
      rows(['العامل الثاني', FACTORS[factor]], ['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      'تمت إزالة عامل ثانٍ',
      paragraph('لم يعد ممكنًا تأكيد تسجيل دخولك به.'),
      rows(['العامل الثاني', FACTORS[factor]], ['الوقت', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      'سيُعاد تعيين عواملك الثانية',
      paragraph(`طلب ${requestedBy} إزالة جميع عواملك الثانية لتتمكن من إعداد عوامل جديدة.`),
      rows(['موعد النفاذ', effectiveAt]),
      paragraph('إذا كانت عواملك الثانية لا تزال معك، فأوقف إعادة التعيين قبل هذا الموعد.'),
      button('إيقاف إعادة التعيين', link),
      small(BECAUSE_YOURS),
      small('إذا لم تطلب ذلك، فأوقف إعادة التعيين وغيّر كلمة المرور وتواصل مع مالك آخر لحسابك.'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `سيُعاد تعيين العوامل الثانية لـ ${person}`,
      paragraph(`طلب ${requestedBy} إزالة جميع العوامل الثانية لـ ${person}، ليمكن بعد ذلك إعداد عوامل جديدة.`),
      rows(['موعد النفاذ', effectiveAt]),
      paragraph(
        'تحقق من الأمر مع صاحب الحساب شخصيًا أو هاتفيًا. إذا كانت عوامله الثانية لا تزال معه، فأوقف إعادة التعيين.',
      ),
      button('إيقاف إعادة التعيين', link),
      small('تصلك هذه الرسالة لأنك أحد مالكي حساب تاجر هذا الشخص عضو فيه.'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      'تم استخدام رمز استرداد',
      paragraph('سجّل أحدهم الدخول بكلمة مرورك وأحد رموز استردادك.'),
      rows(['الوقت', at], ['الرموز المتبقية', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      'تسجيل دخول جديد إلى حسابك',
      paragraph('سجّل أحدهم الدخول إلى حسابك من متصفح أو شبكة لم تستخدمهما من قبل.'),
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
      small(`تصلك هذه الرسالة لأنك عضو في ${merchant}.`),
      small(`إذا كان ذلك خطأ، فتواصل مع أحد مالكي ${merchant}.`),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `لم يعد ${member} عضوًا في ${merchant}` : `أصبح ${member} عضوًا في ${merchant}`,
      paragraph(role === null ? 'لم تعد لديه صلاحية الوصول.' : `دوره هو «${ROLES[role]}».`),
      rows(['العضو', member], ['غيّره', changedBy], ['متى', at]),
      ...(more > 0 ? [paragraph(`تغييرات أخرى في الفريق: ${more}. يعرضها سجل التدقيق كلها.`)] : []),
      small(becauseOwner(merchant)),
      small('إذا كان ذلك خطأ، فسجّل الدخول وصحّحه في صفحة الفريق وأقفل جميع التغييرات.'),
    ),
  ...arAccess,
  ...arMethods,
  ...arRestores,
  ...arStores,
  ...arTwoFactor,
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `بدأ المشغّل جلسة دعم في ${merchant}`,
      paragraph('يمكن لأحد العاملين لدى المشغّل الاطّلاع على حساب التاجر الخاص بك، ولا يمكنه تغيير شيء.'),
      rows(['المشغّل', operator], ['السبب', reason], ['حتى', until]),
      small(becauseOwner(merchant)),
      small('سُجّلت الجلسة في سجل التدقيق لديك. إذا لم تكن تتوقعها، فتواصل مع المشغّل.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `لم تعد عضوًا في ${merchant}`,
      paragraph(`انتهى وصولك إلى ${merchant}.`),
      rows(['أنهاها', changedBy], ['متى', at]),
      small(`تصلك هذه الرسالة لأنك كنت عضوًا في ${merchant}.`),
      small(`إذا كان ذلك خطأ، فتواصل مع أحد مالكي ${merchant}.`),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `رصيد ${store} على وشك النفاد`,
      paragraph('لا يمكن إنشاء فواتير جديدة بعد نفاد الرصيد. اشحنه قبل ذلك.'),
      rows(['المتجر', store], ['المتاح', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `تفشل webhooks إلى ${store} منذ يوم` : `تفشل webhooks إلى ${store}`,
      paragraph('لا يقبل خادمك webhooks التي نرسلها، وقد لا يعلم متجرك بالمدفوعات. نواصل المحاولة.'),
      rows(['المتجر', store], ['الخادم', host], ['منذ', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `عادت webhooks تصل إلى ${store}`,
      paragraph('عاد خادمك يقبل webhooks التي نرسلها. نرسل الآن المعلّقة منها.'),
      rows(['المتجر', store], ['الخادم', host], ['متى', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `استلم ${merchant} أموالًا بلا فاتورة مطابقة`,
      paragraph('راجعها في لوحة التحكم، حيث يمكنك إلحاق كل دفعة بفاتورتها.'),
      rows(['الدفعات', String(count)], ['متى', at]),
      small(becauseMember(merchant)),
    ),
  'payment-claimed': ({ merchant, store, amount, order, link }) =>
    mail(
      `زبون يطالب بدفعة قدرها ${amount}`,
      paragraph(
        `أرسل زبون لدى ${store} معاملة دفعة لا تطابق فاتورته. أرقام المعاملات علنية، فالمطالبة ليست دليلًا: قارن المبالغ قبل الإلحاق.`,
      ),
      rows(['المستلم', amount], ['الطلب', order]),
      button('عرض الدفعة', link),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `ينتهي قريبًا مفتاح API قديم لـ ${store}`,
      paragraph('البرامج التي لا تزال تستخدمه لن يمكنها إنشاء فواتير بعد ذلك. أعطها المفتاح الجديد قبل ذلك.'),
      rows(['المتجر', store], ['ينتهي المفتاح بـ', hint], ['ينتهي', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `ينتهي قريبًا مفتاح حساب منصة تداول لدى ${merchant}`,
      paragraph('قبيل انتهاء المفتاح لا يُعرض الحساب على الزبائن. قدّم مفتاحًا جديدًا قبل ذلك.'),
      rows(['المنصة', network], ['الحساب', account], ['ينتهي', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'بريد Counterfoil يعمل',
      paragraph('هذه رسالة اختبار. ليس عليك فعل أي شيء.'),
      small('تصلك هذه الرسالة لأن أحد مشغّلي هذا الخادم أرسل رسالة اختبار إلى هذا العنوان. إذا كان ذلك خطأ فتجاهلها.'),
    ),
};
