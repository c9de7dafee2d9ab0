import type { words as english } from '../en/notices.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'notice.api-keys': 'مفتاح API يوشك أن ينتهي',
  'notice.balance': 'رصيد منخفض',
  'notice.exchange-keys': 'مفتاح منصة تداول يوشك أن ينتهي',
  'notice.unmatched-money': 'أموال غير مطابقة',
  'notice.webhooks': 'webhooks تفشل',
  'noticeAbout.api-keys': 'قبل يوم من توقف مفتاح قديم.',
  'noticeAbout.balance': 'حين يهبط رصيد متجر تحت حده أو يكفي أقل من 3 أيام.',
  'noticeAbout.exchange-keys': 'قبل انتهاء المفتاح الذي نقرأ به حساب منصة تداول.',
  'noticeAbout.unmatched-money': 'مرة في الساعة على الأكثر لكل تاجر.',
  'noticeAbout.webhooks': 'بعد ساعة وبعد يوم بلا رد من خادمك.',
  'notices.about': 'الرسائل التي نرسلها إلى {mail}، لكل حساب من حساباتك.',
  'notices.always': 'رسائل الدخول والمفاتيح والمحافظ والفريق تصل دائمًا: هي تحميك.',
  'notices.for': 'تُحفظ التغييرات فورًا.',
  'notices.none': 'لست عضوًا في أي حساب',
  'notices.noneAbout': 'متى انضممت إلى حساب تختار إشعاراتك هنا.',
  'notices.noneFor': 'دورك هنا لا يتلقى هذه الرسائل.',
};
