import type { MailFactor, MailRole } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { esAccess } from './es-access.ts';
import { becauseOwner, esMethods } from './es-methods.ts';
import { esRestores, undoOr } from './es-restores.ts';
import { esTwoFactor } from './es-two-factor.ts';

/** Spanish words of mails. */

const ROLES: Record<MailRole, string> = {
  owner: 'propietario',
  admin: 'administrador',
  developer: 'desarrollador',
  finance: 'finanzas',
  viewer: 'solo lectura',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'aplicación de autenticación',
  passkey: 'llave de acceso',
  'recovery-codes': 'códigos de recuperación nuevos; los anteriores ya no sirven',
  all: 'todos los segundos factores',
};

const NOT_ME =
  'Si no ha sido usted, inicie sesión, cambie la contraseña y cierre todas las demás sesiones. Después avise a otro propietario o a su administrador.';
const BECAUSE_YOURS = 'Recibe este correo porque afecta a la seguridad de su propio acceso.';
const becauseMember = (merchant: string) =>
  `Recibe este mensaje porque trabaja en ${merchant}. Puede desactivar estos mensajes en el panel.`;

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`Hubo ${more} cambios más en las tiendas. El registro de auditoría los muestra todos.`)] : [];

export const es: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'Confirme su dirección de correo',
      paragraph('Confirme que esta dirección es suya y podrá iniciar sesión con ella.'),
      button('Confirmar dirección', link),
      paragraph(`El enlace sirve una sola vez, hasta el ${expiresAt}.`),
      small('Alguien ha introducido esta dirección en Counterfoil. Si no ha sido usted, ignore este correo.'),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `Invitación a ${merchant}`,
      paragraph(`${inviter} le invita a trabajar en ${merchant} con el rol «${ROLES[role]}».`),
      button('Ver la invitación', link),
      paragraph(`El enlace sirve una sola vez y solo para esta dirección, hasta el ${expiresAt}.`),
      small(
        `Recibe este correo porque ${inviter} ha introducido su dirección. Si no le conoce, ignórelo: sin el enlace no ocurre nada.`,
      ),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'Elija una contraseña nueva',
      paragraph('Alguien ha pedido una contraseña nueva para esta dirección.'),
      button('Elegir contraseña', link),
      paragraph(`El enlace sirve una sola vez, hasta el ${expiresAt}. Seguirá necesitando su segundo factor.`),
      small(
        'Recibe este correo porque esta dirección tiene acceso a Counterfoil. Si no lo ha pedido usted, ignórelo: su contraseña no cambia.',
      ),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      'Se ha cambiado su contraseña',
      paragraph('Se ha cambiado su contraseña y se han cerrado todas las demás sesiones.'),
      rows(['Cuándo', at]),
      small(BECAUSE_YOURS),
      ...undoOr(
        link,
        'Si no ha sido usted, use enseguida «He olvidado la contraseña» y avise a otro propietario o a su administrador.',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'Se ha cambiado su dirección de correo',
      paragraph('Ahora inicia sesión con otra dirección de correo. Esta ya no se usa.'),
      rows(['Dirección nueva', newAddress], ['Cuándo', at]),
      small(
        'Recibe este correo en su dirección anterior para que nadie pueda apropiarse de su acceso sin que lo note.',
      ),
      ...undoOr(
        link,
        'Si no ha sido usted, avise enseguida a otro propietario o a su administrador: pueden bloquear su acceso.',
      ),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'Se ha añadido un segundo factor',
      paragraph('A partir de ahora también puede confirmar con él su inicio de sesión.'),
      rows(['Segundo factor', FACTORS[factor]], ['Cuándo', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      'Se ha eliminado un segundo factor',
      paragraph('Ya no sirve para confirmar su inicio de sesión.'),
      rows(['Segundo factor', FACTORS[factor]], ['Cuándo', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      'Se van a restablecer sus segundos factores',
      paragraph(`${requestedBy} ha pedido eliminar todos sus segundos factores para que pueda configurar otros.`),
      rows(['Se aplicará', effectiveAt]),
      paragraph('Si no ha perdido sus segundos factores, deténgalo antes.'),
      button('Detener el restablecimiento', link),
      small(BECAUSE_YOURS),
      small('Si nadie debía pedirlo, deténgalo, cambie la contraseña y avise a otro propietario.'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `Se van a restablecer los segundos factores de ${person}`,
      paragraph(
        `${requestedBy} ha pedido eliminar todos los segundos factores de ${person}, que podrá configurar otros.`,
      ),
      rows(['Se aplicará', effectiveAt]),
      paragraph('Pregúntele en persona o por teléfono. Si no ha perdido sus segundos factores, deténgalo.'),
      button('Detener el restablecimiento', link),
      small('Recibe este correo porque figura como propietario de una cuenta en la que trabaja esa persona.'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      'Se ha usado un código de recuperación',
      paragraph('Alguien ha iniciado sesión con su contraseña y uno de sus códigos de recuperación.'),
      rows(['Cuándo', at], ['Códigos restantes', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      'Nuevo inicio de sesión en su cuenta',
      paragraph('Se ha iniciado sesión en su cuenta desde un navegador o una red que no había usado antes.'),
      rows(['Navegador', browser], ['Dirección IP', ip], ['Cuándo', at]),
      paragraph('Si ha sido usted, puede ignorar este correo.'),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'role-changed': ({ merchant, changedBy, role }) =>
    mail(
      `Ha cambiado su rol en ${merchant}`,
      paragraph(`Su rol en ${merchant} es ahora «${ROLES[role]}».`),
      rows(['Cambiado por', changedBy]),
      small(`Recibe este correo porque trabaja en ${merchant}.`),
      small('Si es un error, hable con uno de los propietarios.'),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} ya no trabaja en ${merchant}` : `${member} trabaja ahora en ${merchant}`,
      paragraph(role === null ? 'Ya no tiene acceso.' : `Su rol es «${ROLES[role]}».`),
      rows(['Miembro', member], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...(more > 0 ? [paragraph(`Hubo ${more} cambios más. El registro de auditoría los muestra todos.`)] : []),
      small(becauseOwner(merchant)),
      small('Si esto no debía ocurrir, inicie sesión, corríjalo en la página del equipo y bloquee todos los cambios.'),
    ),
  ...esAccess,
  ...esMethods,
  ...esRestores,
  ...esTwoFactor,
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} tiene una clave de API nueva`,
      paragraph('Los programas que usan la clave anterior serán rechazados cuando esta termine.'),
      rows(
        ['Tienda', store],
        ['La clave nueva acaba en', hint],
        ['La anterior sirve hasta', oldEndsAt],
        ['Cambiado por', changedBy],
        ['Cuándo', at],
      ),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de los suyos, inicie sesión ya, bloquee los cambios y revise quién tiene acceso.'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} tiene un secreto de webhook nuevo`,
      paragraph(
        'Desde ahora los webhooks se firman con el secreto nuevo y, hasta que termine, también con el anterior.',
      ),
      rows(['Tienda', store], ['El anterior firma hasta', oldEndsAt], ['Cambiado por', changedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de los suyos, inicie sesión ya, bloquee los cambios y revise quién tiene acceso.'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `Se ha activado ${store}` : `Se ha desactivado ${store}`,
      paragraph(
        active
          ? 'Vuelve a aceptar facturas nuevas.'
          : 'No acepta facturas nuevas. Las que están abiertas aún se pueden pagar y usted seguirá recibiendo avisos.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si no debía ocurrir, inicie sesión y revise la tienda, o pregunte a quienes gestionan este servicio.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `Ha cambiado el contacto de ayuda de ${store}` : `Ha cambiado la marca de ${store}`,
      paragraph(
        contact
          ? 'Los clientes ven el nuevo contacto en las páginas de pago y acuden a él cuando tienen un problema.'
          : 'Desde ahora las páginas de pago muestran el nombre, el color o el logotipo nuevos.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small(
        'Si no ha sido nadie de su equipo, inicie sesión, corríjalo en la página de la marca y revise quién tiene acceso.',
      ),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} ya puede enviar webhooks sin HTTPS`,
      paragraph(
        'Se ha desactivado el ajuste «Webhooks solo por https». Los webhooks a direcciones http no van cifrados.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión, vuelva a activar el ajuste y revise quién tiene acceso.'),
    ),
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `El soporte está consultando ${merchant}`,
      paragraph('Alguien que gestiona este servicio ha abierto su cuenta para leerla. No puede cambiar nada.'),
      rows(['Quién', operator], ['Motivo', reason], ['Hasta', until]),
      small(becauseOwner(merchant)),
      small('Queda anotado en su auditoría. Si no lo esperaba, pregunte a quienes gestionan este servicio.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `Ya no trabaja en ${merchant}`,
      paragraph(`Su acceso a ${merchant} ha terminado.`),
      rows(['Terminado por', changedBy], ['Cuándo', at]),
      small(`Recibe este mensaje porque hasta ahora trabajaba en ${merchant}.`),
      small('Si es un error, pregunte a uno de sus propietarios.'),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `El saldo de ${store} se está agotando`,
      paragraph('Cuando se agote, no se podrán crear facturas nuevas. Recárguelo antes.'),
      rows(['Tienda', store], ['Disponible', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `Los webhooks de ${store} fallan desde hace un día` : `Los webhooks de ${store} fallan`,
      paragraph(
        'Su servidor no acepta nuestros webhooks; su tienda quizá no sepa de los pagos. Seguimos intentándolo.',
      ),
      rows(['Tienda', store], ['Receptor', host], ['Desde', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `Los webhooks de ${store} vuelven a llegar`,
      paragraph('Su servidor vuelve a aceptar nuestros webhooks. Se están enviando los que aún esperaban.'),
      rows(['Tienda', store], ['Receptor', host], ['Cuándo', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `Ha llegado dinero a ${merchant} que no paga ninguna factura`,
      paragraph('Véalo en el panel: puede asignar cada pago a la factura a la que estaba destinado.'),
      rows(['Pagos', String(count)], ['Cuándo', at]),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `Una clave API antigua de ${store} está a punto de caducar`,
      paragraph('Lo que aún la use no podrá crear facturas después. Póngale antes la clave nueva.'),
      rows(['Tienda', store], ['La clave termina en', hint], ['Válida hasta', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `La clave de una cuenta de exchange de ${merchant} está a punto de caducar`,
      paragraph('Poco antes de caducar, la cuenta deja de ofrecerse a los pagadores. Denos antes una clave nueva.'),
      rows(['Plataforma', network], ['Cuenta', account], ['Válida hasta', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'El correo de Counterfoil funciona',
      paragraph('Esto es una prueba. No tiene que hacer nada.'),
      small(
        'Recibe este correo porque un operador de este servidor lo ha enviado a esta dirección. Si es un error, ignórelo.',
      ),
    ),
};
