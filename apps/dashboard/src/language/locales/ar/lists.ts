import type { words as english } from '../en/lists.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'filter.clear': 'مسح عوامل التصفية',
  'filter.clearOne': 'مسح عامل التصفية {name}',
  'filter.named': '{name}:',
  'filter.none': 'لا شيء يطابق',
  'filter.noneAbout':
    '{count, plural, one {عامل تصفية واحد مفعّل.} two {عاملا تصفية مفعّلان.} few {# عوامل تصفية مفعّلة.} other {# عامل تصفية مفعّل.}} ما هو خارجها لا يظهر.',
  'filter.title': 'عوامل التصفية',
  'pager.newer': 'الأحدث',
  'pager.older': 'الأقدم',
  'pager.title': 'صفحات القائمة',
  'pager.zone': 'الأوقات بتوقيت {zone}',
  'status.arrived': 'منتهية، ووصل مال',
  'status.completed': 'مكتملة',
  'status.expired': 'منتهية',
  'status.late': 'اكتملت متأخرة',
  'status.processing': 'قيد المعالجة',
  'status.waiting': 'في الانتظار',
};
