/** The wallet: /wallet. */
export const wallets = {
  subtitle: 'Manage your funds and send across borders',
  balanceOf: (currency: string) => `${currency} Balance`,
  mainCurrency: 'Your main currency',
  onItsWay: (amount: string) => `${amount} pending`,
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  failed: 'Unable to load your wallet. Please try again later.',

  assets: 'Cryptocurrency',
  setAside: (amount: string) => `${amount} set aside`,
  names: { USDT: 'Tether', USDC: 'USD Coin', BTC: 'Bitcoin', ETH: 'Ethereum' },

  crossing: 'Cross-Currency Transfers',
  crossingSteps: (currency: string) => [
    { title: `${currency} becomes USDT`, text: 'Your main currency is exchanged at the mid-market rate.' },
    { title: 'USDT crosses', text: 'It is transferred securely, in seconds.' },
    { title: 'USDT becomes the local currency', text: 'The recipient gets the money of their own country.' },
  ],
  makeTransfer: 'Make International Transfer',

  protection: 'Currency Protection',
  protectionText: 'Keep part of your money in another currency, and change it back whenever you like.',
  direction: 'Direction',
  toCrypto: (currency: string) => `${currency} to crypto`,
  fromCrypto: (currency: string) => `Crypto to ${currency}`,
  amount: 'Amount',
  available: (amount: string) => `Available ${amount}`,
  cryptocurrency: 'Cryptocurrency',
  choices: {
    USDT: 'Tether (USDT, stable)',
    USDC: 'USD Coin (USDC, stable)',
    BTC: 'Bitcoin (BTC)',
    ETH: 'Ethereum (ETH)',
  },
  youGet: 'You get',
  priceHint: 'Enter an amount to see what you get, at which rate and fee.',
  convert: 'Convert',
  tryAgain: 'Try again',
  converted: (from: string, to: string) => `Converted ${from} to ${to}`,
  enterAmount: 'Please enter a valid amount to convert',
  notEnough: (balance: string) => `This and its fee are more than your balance of ${balance}.`,
  conversionFailed: 'Conversion failed. Please try again.',
  retrying: 'The connection was lost. Asking again for the same conversion; it is never carried out twice.',
  unknownOutcome:
    'We do not know yet whether this was converted. Try again: it is the same order, and it is never carried out twice.',

  why: 'Why Use Cryptocurrency?',
  reasons: [
    {
      title: 'Inflation protection',
      text: 'Stablecoins keep the value of the US dollar when your currency loses its own.',
    },
    { title: 'Global access', text: 'Send it to any Tern user, whatever their country and currency.' },
    { title: 'Secure storage', text: 'Every unit stands in the same ledger as the rest of your money.' },
  ],

  recent: 'Recent Transactions',
  viewAll: 'View All',
  noTransactions: 'No recent transactions',
  transactionsFailed: 'Failed to load transactions. Please try again.',
}
