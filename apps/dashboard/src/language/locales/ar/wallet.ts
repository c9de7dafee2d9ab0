import type { words as english } from '../en/wallet.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'exchange.about': 'يدفع الزبائن من حساباتهم على المنصة نفسها بلا رسوم. نقرأ الكشف بمفتاح لا يقدر على غير ذلك.',
  'exchange.bind': 'اربط المفتاح بعناوين شبكتنا. يخبرك بها من يدير هذه الخدمة.',
  'exchange.copyRequest': 'نسخ طلب لإرساله',
  'exchange.leave': 'اترك كل ما عداه مطفأ: التداول والتحويل والسحب.',
  'exchange.open': 'في {name} افتح صفحة مفاتيح API وأنشئ مفتاحًا جديدًا.',
  'exchange.platform': 'المنصة',
  'exchange.refused': 'يُرفض مفتاح يقدر على أكثر من القراءة',
  'exchange.refusedAbout':
    'لا أحد هنا يقدر على تحريك مال في {name}. قد تمنع شروطها الاستخدام التجاري لحساب شخصي: اقرأها أولًا.',
  'exchange.request':
    'مرحبًا، يريد المتجر {store} أن يُدفع له في حسابه على {name}. لدينا مفتاح للقراءة فقط. بأي عناوين شبكة نربطه، وكيف نسلّمه بأمان؟',
  'exchange.threeParts':
    'سلّم المفتاح والسر وعبارة المرور إلى من يدير هذه الخدمة بالطريقة التي يحددها؛ لا بالبريد ولا بالمحادثة. يُدخلها هو فيظهر الحساب هنا.',
  'exchange.tick': 'ضع علامة على صلاحية واحدة فقط:',
  'exchange.title': 'الاستقبال في حساب منصة تداول',
  'exchange.twoParts':
    'سلّم المفتاح والسر إلى من يدير هذه الخدمة بالطريقة التي يحددها؛ لا بالبريد ولا بالمحادثة. يُدخلهما هو فيظهر الحساب هنا.',
  'wallet.addressOn': 'عنوانك على {network}',
  'wallet.checksum': 'هناك حرف خاطئ: العنوان يناقض رمز تحققه. انسخه مجددًا من محفظتك.',
  'wallet.chooseNetwork': 'اختر شبكة',
  'wallet.compare': 'قارن الأحرف الثمانية الأخيرة بمحفظتك.',
  'wallet.confirm': 'تحقق مرة أخرى',
  'wallet.effect': 'يسري',
  'wallet.effectLater':
    '{hours, plural, =0 {فورًا} one {بعد ساعة} two {بعد ساعتين} few {بعد # ساعات} other {بعد # ساعة}}؛ يتلقى المالكون رسالة ويمكنهم إيقافه',
  'wallet.effectNow': 'فورًا: هو أول عنوان للمتجر',
  'wallet.fee.high': 'رسوم عالية',
  'wallet.fee.low': 'رسوم منخفضة',
  'wallet.fee.medium': 'رسوم متوسطة',
  'wallet.fee.none': 'بلا رسوم',
  'wallet.fee.very-low': 'رسوم منخفضة جدًا',
  'wallet.final': 'يُحسم خلال نحو {time}',
  'wallet.fits': 'عنوان كامل على {network}',
  'wallet.foreign': 'هذا {found}. المطلوب هنا عنوان على {network}.',
  'wallet.mine': 'هذه المحفظة لي',
  'wallet.mineAbout': 'أملك مفاتيحها، وليست عنوان إيداع لمنصة تداول. لا أحد يستطيع استرجاع ما دُفع إلى عنوان خاطئ.',
  'wallet.mineNeeded': 'ضع العلامة بعد أن تقارن العنوان.',
  'wallet.networkAbout': 'يمكن للزبائن الذين لديهم هذه العملات الدفع لك هناك. يمكنك إضافة شبكات أخرى لاحقًا.',
  'wallet.next': 'متابعة',
  'wallet.notExchange': 'عنوان الإيداع في منصة تداول ليس محفظتك',
  'wallet.notExchangeAbout':
    'تغيّر المنصات هذه العناوين وقد لا تقيّد المدفوعات الصغيرة. للاستقبال هناك ارجع واختر «حساب منصة تداول».',
  'wallet.shape.bitcoin': 'عنوان Bitcoin',
  'wallet.shape.evm': 'عنوان Ethereum وأشباهها',
  'wallet.shape.number': 'رقم، مثل معرّف مستخدم في منصة تداول',
  'wallet.shape.solana': 'عنوان Solana',
  'wallet.shape.tron': 'عنوان Tron',
  'wallet.short': '{length} من {wanted} حرفًا',
  'wallet.step': 'الخطوة {number} من {all}',
  'wallet.zero': 'لا أحد يملك هذا العنوان؛ المال المرسل إليه يضيع. انسخ عنوانك من محفظتك.',
};
