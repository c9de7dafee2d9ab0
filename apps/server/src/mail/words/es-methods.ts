import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `Recibe este correo porque figura como propietario de ${merchant}.`;

export const esMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} recibirá los pagos en una dirección nueva`,
      paragraph('Compruebe que el principio y el final de la dirección coinciden con los de su cartera.'),
      rows(
        ['Tienda', store],
        ['Red', network],
        ['Dirección nueva', address],
        ['Pedido por', requestedBy],
        ['Se aplicará', effectiveAt],
      ),
      paragraph(
        'Si algo no es correcto, detenga el cambio. Puede hacerlo cualquier propietario y no afecta a nada más.',
      ),
      button('Revisar o detener el cambio', link),
      small(becauseOwner(merchant)),
      small('Si nadie de su equipo lo ha pedido, deténgalo ahora y revise quién tiene acceso a sus tiendas.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `Se ha cancelado el cambio de dirección de ${store}`,
      paragraph('Se canceló antes de entrar en vigor, así que la tienda sigue recibiendo los pagos como hasta ahora.'),
      rows(['Tienda', store], ['Red', network], ['Dirección', address], ['Cancelado por', cancelledBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si aún quiere usar esta dirección, pida el cambio de nuevo. Se aplica la espera completa.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} recibe ahora los pagos en una dirección nueva`,
      paragraph('Las facturas nuevas usan ahora esta dirección.'),
      rows(['Tienda', store], ['Red', network], ['Dirección nueva', address], ['Desde', at]),
      small(becauseOwner(merchant)),
      small('Si no reconoce esta dirección, inicie sesión de inmediato, elimínela y bloquee todos los cambios.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `Se ha eliminado una dirección de cobro de ${store}`,
      paragraph('Las facturas nuevas ya no usan esta dirección. Las abiertas siguen aceptando pagos en ella.'),
      rows(['Tienda', store], ['Red', network], ['Dirección', address], ['Eliminada por', removedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si ha sido un error, inicie sesión y añada la dirección de nuevo. Se aplica la espera habitual.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `Ha cambiado la espera para cambiar métodos de pago en ${merchant}`,
      paragraph(
        'Su operador ha cambiado cuánto espera un método de pago nuevo antes de entrar en vigor. Una espera más corta solo se aplica cuando ha pasado la actual.',
      ),
      rows(['Espera, en horas', String(hours)], ['Se aplica desde', from]),
      small(becauseOwner(merchant)),
      small('Si nadie de su equipo lo ha pedido, inicie sesión, bloquee todos los cambios y contacte con su operador.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `Cambios bloqueados en ${merchant}`,
      paragraph(
        'Se han detenido todos los cambios pendientes de métodos de pago. No se pueden pedir cambios ni crear claves de API hasta que un propietario los desbloquee.',
      ),
      rows(['Bloqueado por', lockedBy], ['Cuándo', at]),
      paragraph('Los pagos no se ven afectados. Un propietario puede desbloquear los cambios tras iniciar sesión.'),
      small(becauseOwner(merchant)),
      small('Si no sabe por qué, pregunte a quien los bloqueó antes de desbloquearlos.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `Cambios desbloqueados en ${merchant}`,
      paragraph(
        'Se pueden volver a cambiar los métodos de pago y las claves de API. Los cambios detenidos no se reanudan.',
      ),
      rows(['Desbloqueado por', unlockedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si ha sido un error, inicie sesión y vuelva a bloquear los cambios.'),
    ),
};
