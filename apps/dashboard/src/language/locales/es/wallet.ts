import type { words as english } from '../en/wallet.ts';

export const words: Readonly<Record<keyof typeof english, string>> = {
  'exchange.about':
    'Los clientes pagan desde su propia cuenta en la misma plataforma, sin comisiones de red. Leemos los movimientos con una clave de solo lectura.',
  'exchange.bind': 'Restrinja la clave a nuestras direcciones IP. Su operador puede darle la lista.',
  'exchange.copyRequest': 'Copiar una solicitud para enviar',
  'exchange.leave': 'Deje todo lo demás desactivado: operar, transferir, retirar.',
  'exchange.open': 'En {name}, abra la página de claves de API y cree una nueva.',
  'exchange.platform': 'Plataforma',
  'exchange.refused': 'Se rechaza una clave que pueda hacer más que leer',
  'exchange.refusedAbout':
    'No podemos mover dinero en {name}. Sus condiciones pueden prohibir el uso comercial de una cuenta personal: léalas antes.',
  'exchange.request':
    'Hola, la tienda {store} quiere cobrar en su cuenta de {name}. Tenemos una clave de solo lectura. ¿A qué direcciones IP la restringimos y cómo se la enviamos de forma segura?',
  'exchange.threeParts':
    'Entregue la clave, el secreto y la frase de acceso a su operador por el medio que indique; nunca por correo o chat. El operador los introduce y la cuenta aparece aquí.',
  'exchange.tick': 'Marque un solo permiso:',
  'exchange.title': 'Cobrar en una cuenta de exchange',
  'exchange.twoParts':
    'Entregue la clave y el secreto a su operador por el medio que indique; nunca por correo o chat. El operador los introduce y la cuenta aparece aquí.',
  'wallet.addressOn': 'Su dirección en {network}',
  'wallet.checksum':
    'Hay un carácter incorrecto: la suma de control de la dirección no coincide. Cópiela otra vez de su cartera.',
  'wallet.chooseNetwork': 'Elija una red',
  'wallet.compare': 'Compare los ocho últimos caracteres con su cartera.',
  'wallet.confirm': 'Compruébelo otra vez',
  'wallet.effect': 'Entra en vigor',
  'wallet.effectLater':
    '{hours, plural, =0 {De inmediato} one {Tras # hora} other {Tras # horas}}; los propietarios reciben un correo y pueden detenerlo',
  'wallet.effectNow': 'De inmediato: es la primera dirección de la tienda',
  'wallet.fee.high': 'comisión alta',
  'wallet.fee.low': 'comisión baja',
  'wallet.fee.medium': 'comisión media',
  'wallet.fee.none': 'sin comisión',
  'wallet.fee.very-low': 'comisión muy baja',
  'wallet.final': 'definitivo en aprox. {time}',
  'wallet.fits': 'Una dirección completa de {network}',
  'wallet.foreign': 'Esto es {found}. Escriba una dirección de {network}.',
  'wallet.mine': 'Esta cartera es mía',
  'wallet.mineAbout':
    'Tengo sus claves y no es una dirección de depósito de un exchange. Los pagos a una dirección equivocada no se pueden recuperar.',
  'wallet.mineNeeded': 'Márquelo cuando haya comparado la dirección.',
  'wallet.networkAbout': 'Los clientes con estos tokens podrán pagarle allí. Más adelante puede añadir otras redes.',
  'wallet.next': 'Continuar',
  'wallet.notExchange': 'Una dirección de depósito de un exchange no es su cartera',
  'wallet.notExchangeAbout':
    'Los exchanges cambian esas direcciones y pueden no abonar pagos pequeños. Para cobrar allí, vuelva y elija «Cuenta de exchange».',
  'wallet.shape.bitcoin': 'una dirección de Bitcoin',
  'wallet.shape.evm': 'una dirección de Ethereum o de una red compatible',
  'wallet.shape.number': 'un número, como el ID de usuario de un exchange',
  'wallet.shape.solana': 'una dirección de Solana',
  'wallet.shape.tron': 'una dirección de Tron',
  'wallet.short': '{length} de {wanted} caracteres',
  'wallet.step': 'Paso {number} de {all}',
  'wallet.zero': 'Nadie posee esta dirección; el dinero enviado allí se pierde. Copie la suya de su cartera.',
};
