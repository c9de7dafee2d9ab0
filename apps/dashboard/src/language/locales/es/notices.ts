import type { words as english } from '../en/notices.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'notice.api-keys': 'Clave de API a punto de caducar',
  'notice.balance': 'Saldo bajo',
  'notice.exchange-keys': 'Clave de exchange a punto de caducar',
  'notice.unmatched-money': 'Dinero sin asignar',
  'notice.webhooks': 'Webhooks que fallan',
  'noticeAbout.api-keys': 'Un día antes de que una clave antigua deje de funcionar.',
  'noticeAbout.balance': 'Cuando el saldo de una tienda baja de su umbral o dura menos de 3 días.',
  'noticeAbout.exchange-keys': 'Antes de que caduque la clave con la que leemos una cuenta de exchange.',
  'noticeAbout.unmatched-money': 'Como máximo una vez por hora y comerciante.',
  'noticeAbout.webhooks': 'Tras una hora y tras un día sin respuesta de su servidor.',
  'notices.about': 'Correos que enviamos a {mail}, por cada una de sus cuentas.',
  'notices.always': 'Los correos sobre acceso, claves, carteras y equipo se envían siempre: le protegen.',
  'notices.for': 'Los cambios se guardan de inmediato.',
  'notices.none': 'No es miembro de ninguna cuenta',
  'notices.noneAbout': 'Cuando se una a una cuenta, elegirá aquí sus notificaciones.',
  'notices.noneFor': 'Su rol aquí no recibe estos correos.',
};
