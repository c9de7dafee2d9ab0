import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'ninguna', support: 'soporte', operator: 'operador' } as const;

export const esAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'Se ha desactivado su cuenta',
      paragraph('Ya no puede iniciar sesión, y se han cerrado todas sus sesiones.'),
      rows(['Cuándo', at]),
      small('Si no sabe por qué, contacte con su operador.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'Se ha reactivado su cuenta',
      paragraph('Puede iniciar sesión de nuevo, con la misma contraseña y los mismos segundos factores que antes.'),
      rows(['Cuándo', at]),
      small('Si no lo esperaba, cambie la contraseña y contacte con su operador.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'Ha cambiado su función en el equipo del operador',
      paragraph('Se han cerrado todas sus sesiones. La nueva función se aplica desde su próximo inicio de sesión.'),
      rows(['Función', STAFF_ROLES[staffRole]], ['Cuándo', at]),
      small('Si no lo esperaba, contacte de inmediato con otro operador.'),
    ),
};
