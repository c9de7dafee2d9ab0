import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `Recibe este correo porque figura como propietario de ${merchant}.`;

/** Spanish texts of emails about payment methods. */
export const esMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} recibirá los pagos en una dirección nueva`,
      paragraph('Compare el principio y el final de la dirección con la cartera que espera.'),
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
      button('Ver o detener el cambio', link),
      small(becauseOwner(merchant)),
      small('Si nadie de los suyos lo ha pedido, deténgalo primero y revise después quién tiene acceso a sus tiendas.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `${store} no recibirá los pagos en una dirección nueva`,
      paragraph('El cambio se retiró antes de que tuviera efecto. No afecta a nada más.'),
      rows(['Tienda', store], ['Red', network], ['Dirección', address], ['Retirado por', cancelledBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si el cambio era deseado, hay que pedirlo de nuevo; el plazo empieza entonces desde el principio.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} recibe ahora los pagos en una dirección nueva`,
      paragraph('Las facturas nuevas muestran esta dirección desde ahora.'),
      rows(['Tienda', store], ['Red', network], ['Dirección nueva', address], ['Desde', at]),
      small(becauseOwner(merchant)),
      small('Si no conoce esta dirección, inicie sesión enseguida, elimínela y bloquee todos los cambios.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `${store} ya no recibe pagos en una dirección`,
      paragraph('Las facturas nuevas ya no muestran esta dirección. Lo que se pidió antes aún se puede pagar.'),
      rows(['Tienda', store], ['Red', network], ['Dirección', address], ['Eliminada por', removedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si esto no debía ocurrir, inicie sesión y añada la dirección de nuevo; tendrá efecto tras un plazo.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `Cambia la espera de las formas de pago en ${merchant}`,
      paragraph(
        'El operador ha cambiado cuánto espera una forma de pago nueva antes de entrar en vigor. Una espera más corta solo se aplica cuando ha pasado la anterior.',
      ),
      rows(['Horas', String(hours)], ['Se aplica desde', from]),
      small(becauseOwner(merchant)),
      small('Si nadie de su equipo lo pidió, inicie sesión, bloquee los cambios y contacte con el operador.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `Cambios bloqueados en ${merchant}`,
      paragraph(
        'Se han detenido los cambios de formas de pago que estaban pendientes, y no se pueden hacer otros ni crear claves de API nuevas.',
      ),
      rows(['Bloqueado por', lockedBy], ['Cuándo', at]),
      paragraph('Los pagos siguen como siempre. Un propietario puede levantar el bloqueo tras iniciar sesión.'),
      small(becauseOwner(merchant)),
      small('Si no sabe el motivo, pregunte a quien lo bloqueó antes de levantarlo.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `Vuelven a permitirse cambios en ${merchant}`,
      paragraph('Ya se pueden cambiar formas de pago y claves de API. Los cambios detenidos siguen detenidos.'),
      rows(['Levantado por', unlockedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si no debía ocurrir, inicie sesión y vuelva a bloquear los cambios.'),
    ),
};
