import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'ninguna', support: 'soporte', operator: 'operador' } as const;

/** Spanish texts of emails about what an operator did with a person's access. */
export const esAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'Se ha desactivado su cuenta',
      paragraph('Ya no puede iniciar sesión y todas sus sesiones se han cerrado.'),
      rows(['Cuándo', at]),
      small('Si no sabe por qué, pregunte al operador de este servicio.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'Se ha reactivado su cuenta',
      paragraph('Puede iniciar sesión como antes, con la contraseña y los segundos factores que tenía.'),
      rows(['Cuándo', at]),
      small('Si no lo esperaba, cambie la contraseña y avise al operador de este servicio.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'Ha cambiado su función en este servicio',
      paragraph('Sus sesiones se han cerrado. La nueva función se aplica desde su próximo inicio de sesión.'),
      rows(['Función', STAFF_ROLES[staffRole]], ['Cuándo', at]),
      small('Si no lo esperaba, avise de inmediato a otro operador de este servicio.'),
    ),
};
