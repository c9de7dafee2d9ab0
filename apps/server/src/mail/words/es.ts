import type { Role } from '@counterfoil/core/permission.ts';
import type { MailFactor } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { esAccess } from './es-access.ts';
import { becauseOwner, esMethods } from './es-methods.ts';
import { esRestores, undoOr } from './es-restores.ts';
import { esStores } from './es-stores.ts';
import { esTwoFactor } from './es-two-factor.ts';

const ROLES: Record<Role, string> = {
  owner: 'propietario',
  admin: 'administrador',
  developer: 'desarrollador',
  finance: 'finanzas',
  viewer: 'observador',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'aplicación de autenticación',
  passkey: 'llave de acceso',
  'recovery-codes': 'códigos de recuperación nuevos; los anteriores ya no sirven',
  all: 'todos los segundos factores',
};

const NOT_ME =
  'Si no ha sido usted, inicie sesión, cambie la contraseña y cierre todas las demás sesiones. Después contacte con otro propietario de su cuenta o con su operador.';
const BECAUSE_YOURS = 'Recibe este correo porque afecta a la seguridad de su cuenta.';
const becauseMember = (merchant: string) =>
  `Recibe este correo porque es miembro de ${merchant}. Puede desactivar estos correos en el panel.`;

export const es: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'Confirme su dirección de correo',
      paragraph('Confirme esta dirección de correo para iniciar sesión con ella.'),
      button('Confirmar dirección', link),
      paragraph(`El enlace sirve una sola vez y caduca el ${expiresAt}.`),
      small(
        'Recibe este correo porque alguien ha introducido esta dirección en Counterfoil. Si no ha sido usted, ignórelo: sin usar el enlace no ocurre nada.',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `Le han invitado a unirse a ${merchant}`,
      paragraph(`${inviter} le ha invitado a unirse a ${merchant} con el rol «${ROLES[role]}».`),
      button('Ver invitación', link),
      paragraph(`El enlace sirve una sola vez, solo para esta dirección, y caduca el ${expiresAt}.`),
      small(
        `Recibe este correo porque ${inviter} ha introducido su dirección. Si no conoce a esta persona, ignórelo: sin usar el enlace no ocurre nada.`,
      ),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'Restablezca su contraseña',
      paragraph('Alguien ha pedido una contraseña nueva para esta dirección.'),
      button('Elegir una contraseña', link),
      paragraph(
        `El enlace sirve una sola vez y caduca el ${expiresAt}. Seguirá necesitando su segundo factor para iniciar sesión.`,
      ),
      small(
        'Recibe este correo porque con esta dirección se puede iniciar sesión en Counterfoil. Si no ha pedido una contraseña nueva, ignórelo: su contraseña no cambia.',
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
        'Si no ha sido usted, restablezca la contraseña de inmediato con «¿Olvidó la contraseña?» en la página de inicio de sesión. Después contacte con otro propietario de su cuenta o con su operador.',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'Se ha cambiado su dirección de correo',
      paragraph('Ahora inicia sesión con otra dirección de correo. Esta ya no se usa.'),
      rows(['Dirección nueva', newAddress], ['Cuándo', at]),
      small(
        'Enviamos este correo a su dirección anterior para que nadie pueda apropiarse de su cuenta sin que lo note.',
      ),
      ...undoOr(
        link,
        'Si no ha sido usted, contacte de inmediato con otro propietario de su cuenta o con su operador. Pueden bloquear el acceso a su cuenta.',
      ),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'Se ha añadido un segundo factor',
      paragraph('Ahora también puede confirmar con él su inicio de sesión.'),
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
      paragraph('Si aún tiene sus segundos factores, detenga antes el restablecimiento.'),
      button('Detener el restablecimiento', link),
      small(BECAUSE_YOURS),
      small(
        'Si no lo ha pedido usted, detenga el restablecimiento, cambie la contraseña y contacte con otro propietario de su cuenta.',
      ),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `Se van a restablecer los segundos factores de ${person}`,
      paragraph(
        `${requestedBy} ha pedido eliminar todos los segundos factores de ${person}, que podrá configurar otros.`,
      ),
      rows(['Se aplicará', effectiveAt]),
      paragraph(
        'Compruébelo con esa persona directamente o por teléfono. Si aún tiene sus segundos factores, detenga el restablecimiento.',
      ),
      button('Detener el restablecimiento', link),
      small('Recibe este correo porque figura como propietario de una cuenta de la que esa persona es miembro.'),
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
      paragraph('Alguien ha iniciado sesión en su cuenta desde un navegador o una red que usted no había usado antes.'),
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
      small(`Recibe este correo porque es miembro de ${merchant}.`),
      small(`Si es un error, contacte con un propietario de ${merchant}.`),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} ya no es miembro de ${merchant}` : `${member} es ahora miembro de ${merchant}`,
      paragraph(role === null ? 'Ya no tiene acceso.' : `Su rol es «${ROLES[role]}».`),
      rows(['Miembro', member], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...(more > 0 ? [paragraph(`Otros cambios en el equipo: ${more}. El registro de auditoría los muestra.`)] : []),
      small(becauseOwner(merchant)),
      small('Si ha sido un error, inicie sesión, corríjalo en la página del equipo y bloquee todos los cambios.'),
    ),
  ...esAccess,
  ...esMethods,
  ...esRestores,
  ...esStores,
  ...esTwoFactor,
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `Su operador ha abierto una sesión de soporte en ${merchant}`,
      paragraph('Un miembro del equipo del operador puede ver su cuenta de comercio. No puede cambiar nada.'),
      rows(['Operador', operator], ['Motivo', reason], ['Hasta', until]),
      small(becauseOwner(merchant)),
      small('La sesión queda anotada en su registro de auditoría. Si no la esperaba, contacte con su operador.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `Ya no es miembro de ${merchant}`,
      paragraph(`Su acceso a ${merchant} ha terminado.`),
      rows(['Terminado por', changedBy], ['Cuándo', at]),
      small(`Recibe este correo porque era miembro de ${merchant}.`),
      small(`Si es un error, contacte con un propietario de ${merchant}.`),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `El saldo de ${store} se está agotando`,
      paragraph('No se podrán crear facturas nuevas cuando se agote el saldo. Recárguelo antes.'),
      rows(['Tienda', store], ['Disponible', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `Los webhooks a ${store} fallan desde hace un día` : `Los webhooks a ${store} están fallando`,
      paragraph(
        'Su servidor no acepta nuestros webhooks, así que su tienda quizá no se entere de los pagos. Seguimos reintentándolo.',
      ),
      rows(['Tienda', store], ['Servidor', host], ['Desde', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `Los webhooks a ${store} vuelven a entregarse`,
      paragraph('Su servidor vuelve a aceptar nuestros webhooks. Estamos enviando los pendientes.'),
      rows(['Tienda', store], ['Servidor', host], ['Cuándo', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `${merchant} ha recibido dinero sin una factura correspondiente`,
      paragraph('Revíselo en el panel, donde puede asignar cada pago a su factura.'),
      rows(['Pagos', String(count)], ['Cuándo', at]),
      small(becauseMember(merchant)),
    ),
  'payment-claimed': ({ merchant, store, amount, order, link }) =>
    mail(
      `Un cliente reclama un pago de ${amount}`,
      paragraph(
        `Un cliente de ${store} ha enviado la transacción de un pago que no coincide con su factura. Los hashes son públicos, así que no es una prueba: compare los importes antes de asignarlo.`,
      ),
      rows(['Recibido', amount], ['Pedido', order]),
      button('Ver el pago', link),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `Una clave de API antigua de ${store} caduca pronto`,
      paragraph('Los programas que aún la usen no podrán crear facturas después. Deles antes la clave nueva.'),
      rows(['Tienda', store], ['La clave termina en', hint], ['Caduca', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `La clave de una cuenta de exchange de ${merchant} caduca pronto`,
      paragraph(
        'Poco antes de que caduque la clave, la cuenta deja de ofrecerse a los clientes. Proporcione antes una clave nueva.',
      ),
      rows(['Plataforma', network], ['Cuenta', account], ['Caduca', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'El correo de Counterfoil funciona',
      paragraph('Este es un correo de prueba. No tiene que hacer nada.'),
      small(
        'Recibe este correo porque un operador de este servidor ha enviado una prueba a esta dirección. Si es un error, ignórelo.',
      ),
    ),
};
