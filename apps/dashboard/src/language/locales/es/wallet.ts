import type { words as english } from '../en/wallet.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'exchange.about':
    'Los clientes pagan desde su propia cuenta en la misma plataforma, sin comisiones de red. Leemos los movimientos con una clave que no puede hacer nada más.',
  'exchange.bind': 'Vincule la clave a nuestras direcciones de red. Quienes gestionan este servicio le dicen cuáles.',
  'exchange.copyRequest': 'Copiar una solicitud para enviar',
  'exchange.leave': 'Deje todo lo demás desactivado: operar, transferir, retirar.',
  'exchange.open': 'En {name}, abra la página de claves de API y cree una nueva.',
  'exchange.platform': 'Plataforma',
  'exchange.refused': 'Se rechaza una clave que pueda hacer más que leer',
  'exchange.refusedAbout':
    'Nadie aquí puede mover dinero en {name}. Sus condiciones pueden prohibir el uso comercial de una cuenta personal: léalas antes.',
  'exchange.request':
    'Hola, la tienda {store} quiere cobrar en su cuenta de {name}. Tenemos una clave que solo puede leer. ¿A qué direcciones de red la vinculamos y cómo la entregamos de forma segura?',
  'exchange.threeParts':
    'Entregue la clave, el secreto y la frase de acceso a quienes gestionan este servicio, por el medio que indiquen; nunca por correo o chat. Ellos la introducen y la cuenta aparece aquí.',
  'exchange.tick': 'Marque un solo permiso:',
  'exchange.title': 'Cobrar en una cuenta de exchange',
  'exchange.twoParts':
    'Entregue la clave y el secreto a quienes gestionan este servicio, por el medio que indiquen; nunca por correo o chat. Ellos la introducen y la cuenta aparece aquí.',
  'wallet.addressOn': 'Su dirección en {network}',
  'wallet.checksum':
    'Hay un carácter incorrecto: la dirección no cuadra con su suma de control. Cópiela otra vez de su monedero.',
  'wallet.chooseNetwork': 'Elija una red',
  'wallet.compare': 'Compare los ocho últimos caracteres con su monedero.',
  'wallet.confirm': 'Compruébelo una vez más',
  'wallet.effect': 'Entra en vigor',
  'wallet.effectLater':
    '{hours, plural, =0 {Al momento} one {Tras # hora} other {Tras # horas}}; los propietarios reciben un correo y pueden detenerlo',
  'wallet.effectNow': 'Al momento: es la primera dirección de la tienda',
  'wallet.fee.high': 'comisión alta',
  'wallet.fee.low': 'comisión baja',
  'wallet.fee.medium': 'comisión media',
  'wallet.fee.none': 'sin comisión',
  'wallet.fee.very-low': 'comisión muy baja',
  'wallet.final': 'definitivo en unos {time}',
  'wallet.fits': 'Una dirección completa de {network}',
  'wallet.foreign': 'Esto es {found}. Aquí se necesita una dirección de {network}.',
  'wallet.mine': 'Este monedero es mío',
  'wallet.mineAbout':
    'Tengo sus claves y no es una dirección de depósito de un exchange. Nadie puede devolver lo pagado a una dirección equivocada.',
  'wallet.mineNeeded': 'Márquelo cuando haya comparado la dirección.',
  'wallet.networkAbout': 'Los clientes con estos tokens podrán pagarle allí. Más adelante puede añadir otras redes.',
  'wallet.next': 'Continuar',
  'wallet.notExchange': 'Una dirección de depósito de un exchange no es su monedero',
  'wallet.notExchangeAbout':
    'Los exchanges cambian esas direcciones y pueden quedarse con pagos pequeños. Para cobrar allí, vuelva y elija «Cuenta de exchange».',
  'wallet.shape.bitcoin': 'una dirección de Bitcoin',
  'wallet.shape.evm': 'una dirección de Ethereum y sus parientes',
  'wallet.shape.number': 'un número, como el ID de usuario de un exchange',
  'wallet.shape.solana': 'una dirección de Solana',
  'wallet.shape.tron': 'una dirección de Tron',
  'wallet.short': '{length} de {wanted} caracteres',
  'wallet.step': 'Paso {number} de {all}',
  'wallet.zero': 'Nadie posee esta dirección; el dinero enviado allí se pierde. Copie la suya de su monedero.',
};
