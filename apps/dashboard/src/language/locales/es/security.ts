import type { words as english } from '../en/security.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'appearance.about': 'El idioma es también el de sus correos. El aspecto es solo para este navegador.',
  'appearance.title': 'Idioma y aspecto',
  'recovery.copy': 'Copiar todos',
  'recovery.kept': 'Los he guardado',
  'recovery.later': 'Recibe diez cuando añade un segundo factor.',
  'recovery.left':
    '{count, plural, one {Queda un código} other {Quedan # códigos}}. Cada uno vale una vez por su segundo factor.',
  'recovery.once': 'Estos códigos se muestran solo esta vez',
  'recovery.onceAbout':
    'Guárdelos donde guarda sus papeles. Cada uno vale una vez por su segundo factor, nunca por su contraseña.',
  'recovery.renew': 'Generar códigos nuevos',
  'recovery.title': 'Códigos de recuperación',
  'recovery.yours': 'Sus códigos de recuperación',
  'required.about':
    'Configure una llave de acceso o una aplicación de autenticación para usar esta cuenta. Se tarda un minuto.',
  'required.do': 'Configurarla',
  'required.keep': 'La autenticación en dos pasos es obligatoria en {names}',
  'required.keepAbout': 'Si quita el último método, no tendrá acceso hasta que configure otro.',
  'required.missing': 'Configure una llave de acceso o una aplicación de autenticación',
  'required.missingAbout':
    'La autenticación en dos pasos es obligatoria en {names}. No tiene acceso hasta que la configure.',
  'required.title': '{name} exige la autenticación en dos pasos',
  'session.about': 'Termine lo que no conozca y luego cambie su contraseña.',
  'session.end': 'Terminar sesión',
  'session.seen': 'visto {time}',
  'session.this': 'esta',
  'session.title': 'Dónde ha iniciado sesión',
  'totp.about':
    'Una aplicación de su teléfono muestra un código nuevo cada 30 segundos. Con su contraseña equivale a una llave de acceso.',
  'totp.add': 'Configurar una aplicación',
  'totp.confirm': 'Confirmar código',
  'totp.copySecret': 'Copiar secreto',
  'totp.picture': 'Código QR para su aplicación de autenticación',
  'totp.remove': 'Quitar la aplicación',
  'totp.scan': 'Escanee la imagen con su aplicación de autenticación y escriba el código que muestra.',
  'totp.title': 'Aplicación de autenticación',
  'totp.type': 'O escriba:',
};
