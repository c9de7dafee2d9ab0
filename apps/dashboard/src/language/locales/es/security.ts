import type { words as english } from '../en/security.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'appearance.about': 'El idioma también se aplica a sus correos. El aspecto solo se aplica a este navegador.',
  'appearance.title': 'Idioma y aspecto',
  'recovery.about':
    'Si pierde su dispositivo, un código de recuperación le permite iniciar sesión. Cada código sirve una vez.',
  'recovery.atRisk':
    'Sin códigos guardados no puede iniciar sesión si pierde su dispositivo. Genere códigos nuevos y guárdelos.',
  'recovery.confirm': 'Confirmar',
  'recovery.copy': 'Copiar',
  'recovery.download': 'Descargar',
  'recovery.enter': 'Escriba el código {number} para confirmar que los ha guardado',
  'recovery.enterHint': 'El código sigue siendo válido.',
  'recovery.later': 'Recibe diez cuando añade su primer segundo factor.',
  'recovery.left':
    '{count, plural, one {Queda un código} other {Quedan # códigos}}. Cada uno sirve una vez, en lugar de su segundo factor.',
  'recovery.none': 'No tiene códigos de recuperación',
  'recovery.once': 'Estos códigos se muestran solo esta vez',
  'recovery.onceAbout': 'Guárdelos en un gestor de contraseñas o en papel, no en el mismo dispositivo.',
  'recovery.renew': 'Generar códigos nuevos',
  'recovery.title': 'Códigos de recuperación',
  'recovery.unconfirmed': 'No ha confirmado sus códigos de recuperación',
  'recovery.yours': 'Guarde sus códigos de recuperación',
  'required.about':
    'Configure una llave de acceso o una aplicación de autenticación para usar esta cuenta. Se tarda un minuto.',
  'required.do': 'Configurarla',
  'required.keep': 'La autenticación en dos pasos es obligatoria en {names}',
  'required.keepAbout': 'Si quita el último método, no tendrá acceso hasta que configure otro.',
  'required.missing': 'Configure una llave de acceso o una aplicación de autenticación',
  'required.missingAbout':
    'La autenticación en dos pasos es obligatoria en {names}. No tiene acceso hasta que la configure.',
  'required.title': '{name} exige la autenticación en dos pasos',
  'session.about': 'Cierre las sesiones que no reconozca y luego cambie su contraseña.',
  'session.end': 'Terminar sesión',
  'session.seen': 'visto {time}',
  'session.this': 'actual',
  'session.title': 'Sesiones activas',
  'totp.about':
    'Una aplicación de su teléfono muestra un código nuevo cada 30 segundos. Junto con su contraseña, sustituye a una llave de acceso.',
  'totp.add': 'Configurar una aplicación',
  'totp.confirm': 'Confirmar código',
  'totp.copySecret': 'Copiar secreto',
  'totp.picture': 'Código QR para su aplicación de autenticación',
  'totp.remove': 'Quitar la aplicación',
  'totp.scan': 'Escanee el código QR con su aplicación de autenticación y escriba el código que muestra.',
  'totp.title': 'Aplicación de autenticación',
  'totp.type': 'O escriba este secreto:',
};
