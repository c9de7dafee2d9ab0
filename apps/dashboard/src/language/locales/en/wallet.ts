export const words = {
  'exchange.about':
    'Customers pay from their own account at the same platform, without network fees. We read the statement with a key that can do nothing else.',
  'exchange.bind': 'Bind the key to our network addresses. Those who run this service tell you which.',
  'exchange.copyRequest': 'Copy a request to send',
  'exchange.leave': 'Leave everything else off: trading, transfers, withdrawals.',
  'exchange.open': 'At {name}, open the page for API keys and create a new one.',
  'exchange.platform': 'Platform',
  'exchange.refused': 'A key that can do more than read is refused',
  'exchange.refusedAbout':
    'Nobody here can move money at {name}. Its terms may forbid commercial use of a personal account: read them first.',
  'exchange.request':
    'Hello, store {store} would like to be paid into its account at {name}. We have a key that can only read. To which network addresses shall we bind it, and how do we hand it over safely?',
  'exchange.threeParts':
    'Hand key, secret and passphrase to those who run this service, in a way they name; never by mail or chat. They enter it, and the account appears here.',
  'exchange.tick': 'Tick one right only:',
  'exchange.title': 'Be paid into an exchange account',
  'exchange.twoParts':
    'Hand key and secret to those who run this service, in a way they name; never by mail or chat. They enter it, and the account appears here.',
  'wallet.addressOn': 'Your address on {network}',
  'wallet.checksum': 'A character is wrong: the address contradicts its own checksum. Copy it again from your wallet.',
  'wallet.chooseNetwork': 'Choose a network',
  'wallet.compare': 'Compare the last eight characters with your wallet.',
  'wallet.confirm': 'Check it once more',
  'wallet.effect': 'Takes effect',
  'wallet.effectLater':
    '{hours, plural, =0 {At once} one {After # hour} other {After # hours}}; owners get a mail and can stop it',
  'wallet.effectNow': 'At once: it is the first address of the store',
  'wallet.fee.high': 'high fee',
  'wallet.fee.low': 'low fee',
  'wallet.fee.medium': 'medium fee',
  'wallet.fee.none': 'no fee',
  'wallet.fee.very-low': 'very low fee',
  'wallet.final': 'final in about {time}',
  'wallet.fits': 'A whole address of {network}',
  'wallet.foreign': 'This is {found}. Here an address of {network} is needed.',
  'wallet.mine': 'This wallet is mine',
  'wallet.mineAbout':
    'I hold its keys, and it is not an exchange’s deposit address. Nobody can bring back what is paid to a wrong address.',
  'wallet.mineNeeded': 'Tick this once you have compared the address.',
  'wallet.networkAbout': 'Customers with these tokens can pay you there. You can add more networks later.',
  'wallet.next': 'Continue',
  'wallet.notExchange': 'An exchange’s deposit address is not your wallet',
  'wallet.notExchangeAbout':
    'Exchanges change such addresses and may keep small payments. To be paid there, go back and choose “Exchange account”.',
  'wallet.shape.bitcoin': 'a Bitcoin address',
  'wallet.shape.evm': 'an address of Ethereum and its relatives',
  'wallet.shape.number': 'a number, such as an exchange’s user ID',
  'wallet.shape.solana': 'a Solana address',
  'wallet.shape.tron': 'a Tron address',
  'wallet.short': '{length} of {wanted} characters',
  'wallet.step': 'Step {number} of {all}',
  'wallet.zero': 'Nobody owns this address; money sent there is lost. Copy yours from your wallet.',
} as const;
