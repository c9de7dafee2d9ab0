import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `تصلك هذه الرسالة لأنك أحد مالكي ${merchant}.`;

export const arMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `سيستلم ${store} المدفوعات على عنوان جديد`,
      paragraph('تحقق من أن بداية العنوان ونهايته تطابقان محفظتك.'),
      rows(
        ['المتجر', store],
        ['الشبكة', network],
        ['العنوان الجديد', address],
        ['بطلب من', requestedBy],
        ['موعد النفاذ', effectiveAt],
      ),
      paragraph('إذا كان هناك أي خطأ فأوقف التغيير. يمكن لأي مالك فعل ذلك، ولن يتأثر شيء آخر.'),
      button('مراجعة التغيير أو إيقافه', link),
      small(becauseOwner(merchant)),
      small('إذا لم يطلب ذلك أحد من فريقك، فأوقفه الآن وراجع من يمكنه الوصول إلى متاجرك.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `أُلغي تغيير عنوان ${store}`,
      paragraph('أُلغي قبل أن يسري، ويستمر المتجر في استلام المدفوعات كما كان.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان', address], ['ألغاه', cancelledBy], ['متى', at]),
      small(becauseOwner(merchant)),
      small('إذا كنت لا تزال تريد استخدام هذا العنوان، فاطلب التغيير من جديد. وتُطبَّق مدة الانتظار كاملة.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `أصبح ${store} يستلم المدفوعات على عنوان جديد`,
      paragraph('تستخدم الفواتير الجديدة هذا العنوان الآن.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان الجديد', address], ['منذ', at]),
      small(becauseOwner(merchant)),
      small('إذا كنت لا تعرف هذا العنوان، فسجّل الدخول فورًا وأزله وأقفل جميع التغييرات.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `أُزيل أحد عناوين الاستقبال من ${store}`,
      paragraph('لم تعد الفواتير الجديدة تستخدم هذا العنوان. وتقبل المفتوحة الدفع إليه.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان', address], ['أزاله', removedBy], ['متى', at]),
      small(becauseOwner(merchant)),
      small('إذا كان ذلك خطأ، فسجّل الدخول وأضف العنوان من جديد. وتُطبَّق مدة الانتظار المعتادة.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `تغيّرت مدة انتظار تغييرات طرق الدفع في ${merchant}`,
      paragraph(
        'غيّر المشغّل المدة التي تنتظرها طريقة الدفع الجديدة قبل أن تسري. ولا تُطبَّق المدة الأقصر إلا بعد انقضاء المدة الحالية.',
      ),
      rows(['مدة الانتظار بالساعات', String(hours)], ['تسري من', from]),
      small(becauseOwner(merchant)),
      small('إذا لم يطلب أحد من فريقك ذلك، فسجّل الدخول وأقفل جميع التغييرات وتواصل مع المشغّل.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `التغييرات مقفلة في ${merchant}`,
      paragraph(
        'أُوقفت جميع تغييرات طرق الدفع المعلّقة. ولا يمكن طلب تغييرات جديدة ولا إنشاء مفاتيح API جديدة حتى يفتح أحد المالكين القفل.',
      ),
      rows(['أقفلها', lockedBy], ['الوقت', at]),
      paragraph('لا تتأثر المدفوعات. يمكن لأحد المالكين فتح القفل بعد تسجيل الدخول.'),
      small(becauseOwner(merchant)),
      small('إذا كنت لا تعرف السبب، فاسأل من أقفلها قبل أن تفتح القفل.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `فُتح قفل التغييرات في ${merchant}`,
      paragraph('يمكن تغيير طرق الدفع ومفاتيح API من جديد. ولا تُستأنف التغييرات التي أُوقفت.'),
      rows(['فتح القفل', unlockedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا كان ذلك خطأ، فسجّل الدخول وأقفل التغييرات من جديد.'),
    ),
};
