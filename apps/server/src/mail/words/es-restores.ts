import type { Block, RestoreWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

const BECAUSE_ADDRESS = 'Recibe este correo porque esta dirección es de la cuenta o lo era hasta hace poco.';

/** The end of an email about a change that its reader can undo; `otherwise` where they cannot. */
export const undoOr = (link: string | null, otherwise: string): Block[] =>
  link === null
    ? [small(otherwise)]
    : [
        paragraph(
          'Si no ha sido usted, deshaga el cambio. Se cerrarán todas las sesiones, se bloquearán los métodos de pago de sus comercios y se restaurarán sus datos de acceso anteriores.',
        ),
        button('Deshacer el cambio', link),
        small('El enlace funciona durante siete días y no inicia la sesión de nadie.'),
      ];

export const esRestores: RestoreWords = {
  'restore-requested': ({ effectiveAt, link }) =>
    mail(
      'Se van a restaurar sus datos de acceso anteriores',
      paragraph(
        'Alguien ha usado un enlace para deshacer cambios de su cuenta sin uno de sus segundos factores anteriores. Se restaurarán la dirección de correo, la contraseña y los segundos factores de antes de los últimos cambios.',
      ),
      rows(['Se aplicará', effectiveAt]),
      paragraph(
        'Para conservar los datos de acceso actuales, detenga la restauración antes. Con ello no se inicia sesión.',
      ),
      button('Detener la restauración', link),
      small(BECAUSE_ADDRESS),
      small('Si no hizo usted los últimos cambios, no haga nada y deje que la restauración continúe.'),
    ),
  'restore-stopped': ({ at }) =>
    mail(
      'Se ha detenido la restauración de su cuenta',
      paragraph('No se restaurarán los datos de acceso anteriores.'),
      rows(['Cuándo', at]),
      small(BECAUSE_ADDRESS),
      small(
        'Si le han quitado la cuenta, abra de nuevo el enlace para deshacer y use uno de sus segundos factores anteriores, o hable con su operador.',
      ),
    ),
  'account-restored': ({ at }) =>
    mail(
      'Se han restaurado sus datos de acceso anteriores',
      paragraph(
        'Vuelven a valer la dirección de correo, la contraseña y los segundos factores de antes de los últimos cambios. Se han cerrado todas las sesiones, y los enlaces para deshacer estos cambios ya no funcionan.',
      ),
      rows(['Cuándo', at]),
      small(BECAUSE_ADDRESS),
      small(
        'Si le habían quitado la cuenta, inicie sesión, cambie la contraseña y revise sus segundos factores y métodos de pago antes de desbloquearlos.',
      ),
    ),
};
