import type { words as english } from '../en/notices.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'notice.api-keys': 'مفتاح API يوشك أن ينتهي',
  'notice.balance': 'رصيد يوشك أن ينفد',
  'notice.exchange-keys': 'مفتاح منصة تداول يوشك أن ينتهي',
  'notice.unmatched-money': 'وصل مال لا يطابق أي فاتورة',
  'notice.webhooks': 'خطافات الويب تفشل',
  'noticeAbout.api-keys': 'قبل يوم من توقف مفتاح قديم.',
  'noticeAbout.balance': 'حين يهبط رصيد متجر تحت حده أو يكفي أقل من 3 أيام.',
  'noticeAbout.exchange-keys': 'قبل أن ترفض المنصة المفتاح الذي نقرأ به.',
  'noticeAbout.unmatched-money': 'مرة في الساعة على الأكثر لكل تاجر.',
  'noticeAbout.webhooks': 'بعد ساعة وبعد يوم بلا رد من خادمك.',
  'notices.about': 'ما نكتبه إلى {mail} لكل حساب من حساباتك.',
  'notices.always': 'رسائل الدخول والمفاتيح والمحافظ والفريق تصل دائمًا: هي تحميك.',
  'notices.for': 'تُحفظ المفاتيح فورًا.',
  'notices.none': 'لا تنتمي إلى أي حساب',
  'notices.noneAbout': 'متى دعاك أحد تختار هنا ما تُخبر به.',
  'notices.noneFor': 'دورك هنا لا يتلقى هذه الرسائل.',
};
