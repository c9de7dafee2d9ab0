import type { StoreWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './es-methods.ts';

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`Otros cambios en las tiendas: ${more}. El registro de auditoría los muestra.`)] : [];

export const esStores: StoreWords = {
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} tiene una clave de API nueva`,
      paragraph('La clave anterior se rechaza cuando caduca. Ponga antes la clave nueva en sus programas.'),
      rows(
        ['Tienda', store],
        ['La clave nueva acaba en', hint],
        ['La anterior caduca', oldEndsAt],
        ['Cambiado por', changedBy],
        ['Cuándo', at],
      ),
      small(becauseOwner(merchant)),
      small(
        'Si no ha sido nadie de su equipo, inicie sesión de inmediato, bloquee todos los cambios y revise quién tiene acceso.',
      ),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, endpoint, changedBy, at }) =>
    mail(
      `${store} tiene un secreto de webhook nuevo`,
      paragraph('Los webhooks se firman ahora con el secreto nuevo y, hasta que caduque, también con el anterior.'),
      rows(
        ['Tienda', store],
        ...(endpoint === null ? [] : [['Destino', endpoint] as const]),
        ['El anterior caduca', oldEndsAt],
        ['Cambiado por', changedBy],
        ['Cuándo', at],
      ),
      small(becauseOwner(merchant)),
      small(
        'Si no ha sido nadie de su equipo, inicie sesión de inmediato, bloquee todos los cambios y revise quién tiene acceso.',
      ),
    ),
  'webhook-endpoint-added': ({ merchant, store, url, changedBy, at }) =>
    mail(
      `${store} tiene un destino de webhooks nuevo`,
      paragraph('Los eventos de esta tienda se envían ahora también a esta URL, firmados con un secreto propio.'),
      rows(['Tienda', store], ['Destino', url], ['Añadido por', changedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small(
        'Si no ha sido nadie de su equipo, inicie sesión de inmediato, elimine el destino y revise quién tiene acceso.',
      ),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `Se ha activado ${store}` : `Se ha desactivado ${store}`,
      paragraph(
        active
          ? 'La tienda vuelve a aceptar facturas nuevas.'
          : 'La tienda no acepta facturas nuevas. Las abiertas aún se pueden pagar y usted seguirá recibiendo avisos.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si ha sido un error, inicie sesión y revise la tienda, o contacte con su operador.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact
        ? `Ha cambiado el contacto de soporte de ${store}`
        : `Ha cambiado el aspecto de la página de pago de ${store}`,
      paragraph(
        contact
          ? 'Las páginas de pago muestran ahora el nuevo contacto de soporte, al que acuden los clientes cuando tienen un problema.'
          : 'Las páginas de pago muestran ahora el nombre, el color o el logotipo nuevos.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión, corríjalo en el panel y revise quién tiene acceso.'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} ya puede enviar webhooks sin HTTPS`,
      paragraph(
        'Se ha desactivado el ajuste «Exigir HTTPS para los webhooks». Los webhooks a direcciones http no van cifrados.',
      ),
      rows(['Tienda', store], ['Cambiado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión, vuelva a activar el ajuste y revise quién tiene acceso.'),
    ),
  'payment-attached': ({ merchant, store, invoice, changedBy, at, more }) =>
    mail(
      `Se ha asignado un pago a ${invoice}`,
      paragraph('El pago completa la factura aunque no coincidía con ella. Esto no se puede deshacer.'),
      rows(['Tienda', store], ['Factura', invoice], ['Asignado por', changedBy], ['Cuándo', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión y revise quién tiene acceso.'),
    ),
  'audit-exported': ({ merchant, changedBy, at }) =>
    mail(
      `Se ha exportado el registro de auditoría de ${merchant}`,
      paragraph('El archivo muestra quién trabaja para el comercio, desde dónde y qué ha cambiado.'),
      rows(['Exportado por', changedBy], ['Cuándo', at]),
      small(becauseOwner(merchant)),
      small('Si no ha sido nadie de su equipo, inicie sesión y revise quién tiene acceso.'),
    ),
};
