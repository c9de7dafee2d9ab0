import type { words as english } from '../en/links.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'email.about': 'Desde entonces entrará con esta dirección de correo.',
  'email.do': 'Usar esta dirección de correo',
  'email.done': 'Su dirección de correo ha cambiado',
  'email.doneAbout': 'Los correos sobre su cuenta llegan aquí desde ahora.',
  'email.title': 'Confirme su nueva dirección de correo',
  'forgot.about': 'Le enviamos un enlace con el que elige una nueva.',
  'forgot.do': 'Enviar el enlace',
  'forgot.sent': 'Mire su correo',
  'forgot.sentAbout': 'Si alguien entra con {mail}, un enlace está en camino. Sirve una vez.',
  'forgot.title': 'Contraseña olvidada',
  'invitation.about': 'Está invitado como {role}, con la dirección {mail}.',
  'invitation.gone': 'Esta invitación ya no existe',
  'invitation.goneAbout': 'Se usó, se retiró o es demasiado antigua. Pida otra a quien le invitó.',
  'invitation.join': 'Unirse',
  'invitation.joinAs': 'Unirse como {name}',
  'invitation.known': 'Ya puede entrar',
  'invitation.knownAbout': 'Entre y volverá aquí para unirse.',
  'invitation.mail': '¿Es nuevo? Siga el enlace del correo',
  'invitation.mailAbout':
    'El correo a la dirección invitada tiene su propio enlace. Si ya puede entrar, entre para unirse.',
  'invitation.title': 'Unirse a {account}',
  'keep.about': 'Alguien pidió quitar sus segundos factores. Si aún los tiene, consérvelos.',
  'keep.do': 'Conservar mis segundos factores',
  'keep.done': 'Sus segundos factores se conservan',
  'keep.doneAbout': 'Quien tenga su contraseña aún los necesita.',
  'keep.title': 'Conserve sus segundos factores',
  'link.open': 'Abrir el panel',
  'reset.do': 'Guardar contraseña',
  'reset.done': 'Su contraseña está guardada',
  'reset.doneAbout': 'Todas las demás sesiones han terminado. Entre con la nueva.',
  'reset.title': 'Elija una contraseña',
  'signUp.sent': 'Mire su correo',
  'signUp.sentAbout': 'Un enlace está en camino a {mail}. Sígalo para terminar.',
  'signUp.title': 'Registrarse',
  'undo.about':
    'Si usted no cambió su dirección de correo, su contraseña o sus segundos factores, vuelva a los que tenía antes. Con esto no se inicia sesión.',
  'undo.do': 'Cerrar todas las sesiones y continuar',
  'undo.first':
    'Esto cierra todas las sesiones de su cuenta y bloquea los métodos de pago de sus comercios hasta que un propietario los desbloquee.',
  'undo.gone': 'Este enlace ya no funciona',
  'undo.goneAbout':
    'Los enlaces para deshacer funcionan siete días, hasta que se restaura la cuenta. Si necesita ayuda, hable con su operador.',
  'undo.later': 'No tengo ninguno de estos',
  'undo.laterAbout':
    'Puede restaurarla sin ellos. Entonces se aplica al cabo de 24 horas y se puede detener desde la dirección de correo anterior y desde la nueva.',
  'undo.none':
    'No se conoce ningún segundo factor anterior, así que la restauración se aplica al cabo de 24 horas. Se puede detener desde la dirección de correo anterior y desde la nueva.',
  'undo.passkey': 'Usar una clave de acceso anterior',
  'undo.proof':
    'Se han cerrado todas las sesiones y se han bloqueado los métodos de pago. Confirme con un segundo factor que tenía antes de los cambios, y {mail} volverá a ser la dirección de su cuenta, con su contraseña y sus segundos factores anteriores.',
  'undo.request': 'Restaurar dentro de 24 horas',
  'undo.restore': 'Restaurar ahora',
  'undo.restored': 'Su cuenta está restaurada',
  'undo.restoredAbout':
    'Inicie sesión con su contraseña anterior. Después cámbiela y revise sus segundos factores, su equipo y sus métodos de pago antes de desbloquearlos.',
  'undo.restoring': 'Restaurando…',
  'undo.title': 'Deshacer los cambios de su cuenta',
  'undo.waits': 'La restauración se aplica el {time}',
  'undo.waitsAbout':
    'Hasta entonces se puede detener desde la dirección de correo anterior y desde la nueva. Ambas han recibido un enlace.',
  'undo.waitsProof': 'Con un segundo factor que tenía antes de los cambios se aplica de inmediato.',
  'undoStop.about':
    'Alguien pidió restaurar la dirección de correo, la contraseña y los segundos factores anteriores de su cuenta. Deténgalo solo si hizo usted los cambios.',
  'undoStop.do': 'Detener la restauración',
  'undoStop.done': 'La restauración está detenida',
  'undoStop.doneAbout': 'Se conservan la dirección de correo, la contraseña y los segundos factores actuales.',
  'undoStop.title': 'Detener la restauración de su cuenta',
  'verify.about': 'Escriba la contraseña que acaba de elegir.',
  'verify.do': 'Confirmar',
  'verify.title': 'Confirme su dirección de correo',
};
