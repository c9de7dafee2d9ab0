import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `تصلك هذه الرسالة لأنك أحد مالكي ${merchant}.`;

/** Arabic texts of emails about payment methods. */
export const arMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `سيستلم ${store} المدفوعات على عنوان جديد`,
      paragraph('قارن بداية العنوان ونهايته بالمحفظة التي تتوقعها.'),
      rows(
        ['المتجر', store],
        ['الشبكة', network],
        ['العنوان الجديد', address],
        ['طلبه', requestedBy],
        ['موعد النفاذ', effectiveAt],
      ),
      paragraph('إذا كان هناك أي خطأ فأوقف التغيير. يمكن لأي مالك فعل ذلك، ولن يتأثر شيء آخر.'),
      button('عرض التغيير أو إيقافه', link),
      small(becauseOwner(merchant)),
      small('إذا لم يطلب ذلك أحد من طرفك، فأوقفه أولًا ثم راجع من يمكنه الوصول إلى متاجرك.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `لن يستلم ${store} المدفوعات على عنوان جديد`,
      paragraph('سُحب التغيير قبل أن يسري. ولا يتأثر أي شيء آخر.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان', address], ['سحبه', cancelledBy], ['متى', at]),
      small(becauseOwner(merchant)),
      small('إذا كان التغيير مطلوبًا، فيجب طلبه من جديد؛ وتبدأ المهلة عندئذ من أولها.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `أصبح ${store} يستلم المدفوعات على عنوان جديد`,
      paragraph('تعرض الفواتير الجديدة هذا العنوان من الآن.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان الجديد', address], ['منذ', at]),
      small(becauseOwner(merchant)),
      small('إذا كنت لا تعرف هذا العنوان، فسجّل الدخول فورًا وأزله وأقفل جميع التغييرات.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `لم يعد ${store} يستلم المدفوعات على أحد العناوين`,
      paragraph('لم تعد الفواتير الجديدة تعرض هذا العنوان. ما طُلب دفعه عليه من قبل يمكن دفعه.'),
      rows(['المتجر', store], ['الشبكة', network], ['العنوان', address], ['أزاله', removedBy], ['متى', at]),
      small(becauseOwner(merchant)),
      small('إذا لم يكن ينبغي أن يحدث هذا، فسجّل الدخول وأضف العنوان من جديد؛ ويسري ذلك بعد مهلة.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `تتغير مدة انتظار طرق الدفع في ${merchant}`,
      paragraph(
        'غيّر المشغّل المدة التي تنتظرها طريقة الدفع الجديدة قبل أن تسري. ولا تُطبَّق المدة الأقصر إلا بعد انقضاء المدة السابقة.',
      ),
      rows(['الساعات', String(hours)], ['تسري من', from]),
      small(becauseOwner(merchant)),
      small('إذا لم يطلب أحد من فريقك ذلك، فسجّل الدخول وأقفل التغييرات واتصل بالمشغّل.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `التغييرات مقفلة في ${merchant}`,
      paragraph('أُوقفت تغييرات طرق الدفع التي كانت معلّقة، ولا يمكن طلب تغييرات جديدة ولا إنشاء مفاتيح API جديدة.'),
      rows(['أقفلها', lockedBy], ['الوقت', at]),
      paragraph('تستمر المدفوعات كالمعتاد. يمكن لأحد المالكين رفع القفل بعد تسجيل الدخول.'),
      small(becauseOwner(merchant)),
      small('إذا كنت لا تعرف السبب، فاسأل من أقفلها قبل أن ترفع القفل.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `أصبحت التغييرات ممكنة من جديد في ${merchant}`,
      paragraph('يمكن تغيير طرق الدفع ومفاتيح API من جديد. أما التغييرات التي أُوقفت فتبقى موقوفة.'),
      rows(['رفع القفل', unlockedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا كان يجب ألا يحدث ذلك، فسجّل الدخول وأقفل التغييرات من جديد.'),
    ),
};
