import type { TwoFactorWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './es-methods.ts';

export const esTwoFactor: TwoFactorWords = {
  'two-factor-code-used-again': ({ at }) =>
    mail(
      'Se ha usado dos veces un código de autenticación',
      paragraph(
        'Alguien ha introducido su contraseña y un código que ya se había usado. Se ha rechazado el inicio de sesión.',
      ),
      rows(['Cuándo', at]),
      small('Si ha sido usted, espere al código siguiente e inténtelo de nuevo. Puede ignorar este correo.'),
      small('Si no ha sido usted, alguien conoce su contraseña. Cámbiela y cierre todas las demás sesiones.'),
    ),
  'two-factor-required': ({ merchant, changedBy, at, isMissing, link }) =>
    mail(
      `${merchant} exige ahora la autenticación en dos pasos`,
      ...(isMissing
        ? [
            paragraph(
              'No tiene acceso hasta que configure una llave de acceso o una aplicación de autenticación. Se tarda un minuto.',
            ),
            button('Configurarla', link),
          ]
        : [paragraph('Ya tiene un segundo factor, así que para usted no cambia nada.')]),
      rows(['Cambiado por', changedBy], ['Cuándo', at]),
      small(`Recibe este correo porque es miembro de ${merchant}.`),
    ),
  'two-factor-optional': ({ merchant, changedBy, at }) =>
    mail(
      `${merchant} ya no exige la autenticación en dos pasos`,
      paragraph('Los miembros sin segundo factor vuelven a tener acceso.'),
      rows(['Cambiado por', changedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión, vuelva a exigirla y revise quién tiene acceso.'),
    ),
  'member-without-two-factor': ({ merchant, member, at }) =>
    mail(
      `${member} ya no tiene ningún segundo factor`,
      paragraph(`Ha eliminado el último y no tiene acceso a ${merchant} hasta que configure otro.`),
      rows(['Miembro', member], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si no lo esperaba, pregúntele en persona o por teléfono.'),
    ),
};
