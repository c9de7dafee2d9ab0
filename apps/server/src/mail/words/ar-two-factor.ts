import type { TwoFactorWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './ar-methods.ts';

export const arTwoFactor: TwoFactorWords = {
  'two-factor-code-used-again': ({ at }) =>
    mail(
      'استُخدم رمز مصادقة مرتين',
      paragraph('أدخل أحدهم كلمة مرورك ورمزًا سبق استخدامه. ورُفض تسجيل الدخول.'),
      rows(['الوقت', at]),
      small('إذا كنت أنت، فانتظر الرمز التالي وحاول من جديد. يمكنك تجاهل هذه الرسالة.'),
      small('إذا لم تكن أنت، فهناك من يعرف كلمة مرورك. غيّرها وأنهِ جميع الجلسات الأخرى.'),
    ),
  'two-factor-required': ({ merchant, changedBy, at, isMissing, link }) =>
    mail(
      `يشترط ${merchant} الآن التحقق بخطوتين`,
      ...(isMissing
        ? [
            paragraph('لا يمكنك الوصول إلى الحساب حتى تُعِدّ مفتاح مرور أو تطبيق مصادقة. يستغرق ذلك نحو دقيقة.'),
            button('إعداده الآن', link),
          ]
        : [paragraph('لديك عامل ثانٍ بالفعل، فلا يتغير شيء بالنسبة إليك.')]),
      rows(['غيّره', changedBy], ['الوقت', at]),
      small(`تصلك هذه الرسالة لأنك عضو في ${merchant}.`),
    ),
  'two-factor-optional': ({ merchant, changedBy, at }) =>
    mail(
      `لم يعد ${merchant} يشترط التحقق بخطوتين`,
      paragraph('عاد الوصول إلى الأعضاء الذين ليس لديهم عامل ثانٍ.'),
      rows(['غيّره', changedBy], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا لم يفعل ذلك أحد من فريقك، فسجّل الدخول وأعد الاشتراط وراجع من لديه صلاحية الوصول.'),
    ),
  'member-without-two-factor': ({ merchant, member, at }) =>
    mail(
      `لم يعد لدى ${member} أي عامل ثانٍ`,
      paragraph(`أزال آخر عامل لديه، ولا يمكنه الوصول إلى ${merchant} حتى يُعِدّ غيره.`),
      rows(['العضو', member], ['الوقت', at]),
      small(becauseOwner(merchant)),
      small('إذا لم تكن تتوقع ذلك، فاسأله شخصيًا أو بالهاتف.'),
    ),
};
