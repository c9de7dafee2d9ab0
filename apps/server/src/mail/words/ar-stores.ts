import type { StoreWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './ar-methods.ts';

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`تغييرات أخرى في المتاجر: ${more}. يعرضها سجل التدقيق كلها.`)] : [];

export const arStores: StoreWords = {
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `لدى ${store} مفتاح API جديد`,
      paragraph('يُرفض المفتاح القديم بعد انتهائه. استخدم المفتاح الجديد في برامجك قبل ذلك.'),
      rows(
        ['المتجر', store],
        ['نهاية المفتاح الجديد', hint],
        ['ينتهي المفتاح القديم', oldEndsAt],
        ['غيّره', changedBy],
        ['الوقت', at],
      ),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول فورًا وأقفل جميع التغييرات وراجع من لديه صلاحية الوصول.'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, endpoint, changedBy, at }) =>
    mail(
      `لدى ${store} سر webhook جديد`,
      paragraph('تُوقّع webhooks الآن بالسر الجديد، وبالسر القديم أيضًا حتى ينتهي.'),
      rows(
        ['المتجر', store],
        ...(endpoint === null ? [] : [['نقطة الاستقبال', endpoint] as const]),
        ['ينتهي السر القديم', oldEndsAt],
        ['غيّره', changedBy],
        ['الوقت', at],
      ),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول فورًا وأقفل جميع التغييرات وراجع من لديه صلاحية الوصول.'),
    ),
  'webhook-endpoint-added': ({ merchant, store, url, changedBy, at }) =>
    mail(
      `لدى ${store} نقطة استقبال webhooks جديدة`,
      paragraph('تُرسل أحداث هذا المتجر الآن أيضًا إلى هذا العنوان، موقّعة بسر خاص به.'),
      rows(['المتجر', store], ['نقطة الاستقبال', url], ['أضافها', changedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول فورًا واحذف نقطة الاستقبال وراجع من لديه صلاحية الوصول.'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `شُغّل ${store}` : `أُوقف ${store}`,
      paragraph(
        active
          ? 'يقبل المتجر فواتير جديدة من جديد.'
          : 'لا يقبل المتجر فواتير جديدة. يمكن دفع الفواتير المفتوحة، وستصلك الإشعارات كما كانت.',
      ),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا كان ذلك خطأ، فسجّل الدخول وراجع المتجر، أو تواصل مع المشغّل.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `تغيّرت جهة الدعم في ${store}` : `تغيّر مظهر صفحة الدفع لـ ${store}`,
      paragraph(
        contact
          ? 'تعرض صفحات الدفع الآن جهة الدعم الجديدة، التي يتواصل معها الزبائن عند حدوث مشكلة.'
          : 'تعرض صفحات الدفع الآن الاسم أو اللون أو الشعار الجديد.',
      ),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وصحّحه في لوحة التحكم وراجع من لديه صلاحية الوصول.'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `يمكن لـ ${store} الآن إرسال webhooks بلا HTTPS`,
      paragraph('أُوقف الإعداد «اشتراط HTTPS لـ webhooks». رسائل webhook إلى عناوين http غير مشفرة.'),
      rows(['المتجر', store], ['غيّره', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وشغّل الإعداد من جديد وراجع من لديه صلاحية الوصول.'),
    ),
  'payment-attached': ({ merchant, store, invoice, changedBy, at, more }) =>
    mail(
      `أُلحقت دفعة بـ ${invoice}`,
      paragraph('تُكمل الدفعة الفاتورة مع أنها لم تطابقها. لا يمكن التراجع عن ذلك.'),
      rows(['المتجر', store], ['الفاتورة', invoice], ['ألحقها', changedBy], ['الوقت', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وراجع من لديه صلاحية الوصول.'),
    ),
  'audit-exported': ({ merchant, changedBy, at }) =>
    mail(
      `صُدّر سجل التدقيق لدى ${merchant}`,
      paragraph('يبيّن الملف من يعمل لدى التاجر ومن أين وماذا غيّر.'),
      rows(['صدّره', changedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وراجع من لديه صلاحية الوصول.'),
    ),
};
