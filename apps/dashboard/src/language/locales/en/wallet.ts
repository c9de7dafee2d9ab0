export const words = {
  'exchange.about':
    'Customers pay from their own account on the same platform, without network fees. We read the statement with a read-only key.',
  'exchange.bind': 'Restrict the key to our IP addresses. Your operator can give you the list.',
  'exchange.copyRequest': 'Copy a request to send',
  'exchange.leave': 'Leave everything else off: trading, transfers, withdrawals.',
  'exchange.open': 'On {name}, open the page for API keys and create a new one.',
  'exchange.platform': 'Platform',
  'exchange.refused': 'A key that can do more than read is rejected',
  'exchange.refusedAbout':
    'We cannot move money on {name}. Its terms may forbid commercial use of a personal account: read them first.',
  'exchange.request':
    'Hello, store {store} would like to be paid into its account on {name}. We have a read-only key. Which IP addresses should we restrict it to, and how do we send it to you safely?',
  'exchange.threeParts':
    'Give the key, secret and passphrase to your operator in the way they specify, never by email or chat. They enter them, and the account appears here.',
  'exchange.tick': 'Select one permission only:',
  'exchange.title': 'Get paid into an exchange account',
  'exchange.twoParts':
    'Give the key and secret to your operator in the way they specify, never by email or chat. They enter them, and the account appears here.',
  'wallet.addressOn': 'Your address on {network}',
  'wallet.checksum':
    'A character is wrong: the checksum of the address does not match. Copy it again from your wallet.',
  'wallet.chooseNetwork': 'Choose a network',
  'wallet.compare': 'Compare the last eight characters with your wallet.',
  'wallet.confirm': 'Check it again',
  'wallet.effect': 'Takes effect',
  'wallet.effectLater':
    '{hours, plural, =0 {Immediately} one {After # hour} other {After # hours}}; owners are notified by email and can stop it',
  'wallet.effectNow': 'Immediately: it is the first address of the store',
  'wallet.fee.high': 'high fee',
  'wallet.fee.low': 'low fee',
  'wallet.fee.medium': 'medium fee',
  'wallet.fee.none': 'no fee',
  'wallet.fee.very-low': 'very low fee',
  'wallet.final': 'final in about {time}',
  'wallet.fits': 'A complete address on {network}',
  'wallet.foreign': 'This is {found}. Enter an address on {network}.',
  'wallet.mine': 'This wallet is mine',
  'wallet.mineAbout':
    'I hold its keys, and it is not an exchange’s deposit address. Payments to a wrong address cannot be recovered.',
  'wallet.mineNeeded': 'Select this after you have compared the address.',
  'wallet.networkAbout': 'Customers with these tokens can pay you there. You can add more networks later.',
  'wallet.next': 'Continue',
  'wallet.notExchange': 'An exchange’s deposit address is not your wallet',
  'wallet.notExchangeAbout':
    'Exchanges change such addresses and may not credit small payments. To get paid there, go back and choose “Exchange account”.',
  'wallet.shape.bitcoin': 'a Bitcoin address',
  'wallet.shape.evm': 'an address of Ethereum or a compatible network',
  'wallet.shape.number': 'a number, such as an exchange’s user ID',
  'wallet.shape.solana': 'a Solana address',
  'wallet.shape.tron': 'a Tron address',
  'wallet.short': '{length} of {wanted} characters',
  'wallet.step': 'Step {number} of {all}',
  'wallet.zero': 'No one owns this address; money sent there is lost. Copy yours from your wallet.',
} as const;
