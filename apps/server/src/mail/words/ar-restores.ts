import type { Block, RestoreWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

const BECAUSE_ADDRESS = 'تصلك هذه الرسالة لأن هذا العنوان تابع للحساب أو كان تابعًا له حتى وقت قريب.';

/** The end of an email about a change that its reader can undo; `otherwise` where they cannot. */
export const undoOr = (link: string | null, otherwise: string): Block[] =>
  link === null
    ? [small(otherwise)]
    : [
        paragraph(
          'إذا لم تكن أنت من فعل ذلك، فتراجع عنه. ينهي التراجع جميع الجلسات ويقفل طرق الدفع لدى تجّارك ويستعيد بيانات دخولك السابقة.',
        ),
        button('التراجع عن التغيير', link),
        small('يعمل الرابط سبعة أيام ولا يسجّل دخول أحد.'),
      ];

export const arRestores: RestoreWords = {
  'restore-requested': ({ effectiveAt, link }) =>
    mail(
      'ستُستعاد بيانات دخولك السابقة',
      paragraph(
        'استخدم أحدهم رابط تراجع لحسابك دون أحد عوامله الثانية السابقة. سيُستعاد البريد وكلمة المرور والعوامل الثانية كما كانت قبل التغييرات الأخيرة.',
      ),
      rows(['موعد النفاذ', effectiveAt]),
      paragraph('للاحتفاظ ببيانات الدخول الحالية، أوقف الاستعادة قبل هذا الموعد. لا يسجّل ذلك دخولك.'),
      button('إيقاف الاستعادة', link),
      small(BECAUSE_ADDRESS),
      small('إذا لم تُجرِ أنت التغييرات الأخيرة، فلا تفعل شيئًا ودع الاستعادة تستمر.'),
    ),
  'restore-stopped': ({ at }) =>
    mail(
      'أُوقفت استعادة حسابك',
      paragraph('لن تُستعاد بيانات الدخول السابقة.'),
      rows(['الوقت', at]),
      small(BECAUSE_ADDRESS),
      small(
        'إذا استولى أحد على حسابك، فافتح رابط التراجع مرة أخرى واستخدم أحد عواملك الثانية السابقة، أو تواصل مع المشغّل.',
      ),
    ),
  'account-restored': ({ at }) =>
    mail(
      'استُعيدت بيانات دخولك السابقة',
      paragraph(
        'عاد العمل بالبريد وكلمة المرور والعوامل الثانية كما كانت قبل التغييرات الأخيرة. أُنهيت جميع الجلسات، ولم تعد روابط التراجع عن هذه التغييرات تعمل.',
      ),
      rows(['الوقت', at]),
      small(BECAUSE_ADDRESS),
      small(
        'إذا كان أحد قد استولى على حسابك، فسجّل الدخول وغيّر كلمة المرور وراجع عواملك الثانية وطرق الدفع قبل فتح القفل.',
      ),
    ),
};
