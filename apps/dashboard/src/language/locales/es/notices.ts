import type { words as english } from '../en/notices.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'notice.api-keys': 'Una clave de API termina pronto',
  'notice.balance': 'Un saldo se agota',
  'notice.exchange-keys': 'Una clave de exchange termina pronto',
  'notice.unmatched-money': 'Llegó dinero que no encaja con ninguna factura',
  'notice.webhooks': 'Los webhooks fallan',
  'noticeAbout.api-keys': 'Un día antes de que una clave antigua deje de funcionar.',
  'noticeAbout.balance': 'Cuando el saldo de una tienda baja de su umbral o dura menos de 3 días.',
  'noticeAbout.exchange-keys': 'Antes de que un exchange deje de aceptar la clave con la que leemos.',
  'noticeAbout.unmatched-money': 'Como máximo una vez por hora y comerciante.',
  'noticeAbout.webhooks': 'Tras una hora y tras un día sin respuesta de su servidor.',
  'notices.about': 'Lo que escribimos a {mail}, por cada una de sus cuentas.',
  'notices.always': 'Los correos sobre acceso, claves, monederos y equipo llegan siempre: le protegen.',
  'notices.for': 'Los cambios se guardan enseguida.',
  'notices.none': 'No pertenece a ninguna cuenta',
  'notices.noneAbout': 'Cuando alguien le invite, elegirá aquí de qué se le avisa.',
  'notices.noneFor': 'Su rol aquí no recibe estos correos.',
};
