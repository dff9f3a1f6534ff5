/** Page /wallet. */
export const wallets = {
  subtitle: 'Manage your funds and send across borders',
  balanceOf: (currency: string) => `${currency} Balance`,
  mainCurrency: 'Your main currency',
  onItsWay: (amount: string) => `${amount} pending`,
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  failed: 'Unable to load your wallet. Please try again later.',

  lastDays: 'Last 30 days',
  noTrend: 'Your balance over time appears here.',
  trendFailed: "We couldn't load this chart.",

  onHold: (amount: string) => `${amount} on hold`,
  names: { USDT: 'Tether', USDC: 'USD Coin', BTC: 'Bitcoin', ETH: 'Ethereum' },

  crossing: 'Cross-Currency Transfers',
  /** `money` is the plural of the main currency, such as "US dollars". */
  crossingSteps: (money: string) => [
    `Your ${money} become USDT`,
    'USDT is transferred securely',
    "USDT becomes the recipient's local currency",
  ],
  makeTransfer: 'Make International Transfer',
  sendAsCrypto: 'Send as cryptocurrency',

  protection: 'Currency Protection',
  protectionText: 'Keep part of your money in another currency',
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
  convert: 'Convert',
  tryAgain: 'Try again',
  converted: (from: string, to: string) => `Converted ${from} to ${to}`,
  enterAmount: 'Please enter a valid amount to convert',
  notEnough: (balance: string) => `The amount and its fee exceed your balance of ${balance}.`,
  conversionFailed: 'Conversion failed. Please try again.',
  retrying: 'The connection was lost. Trying again; you will only be charged once.',
  unknownOutcome: "We don't know yet whether this went through. Try again: you will only be charged once.",

  why: 'Why Use Cryptocurrency?',
  reasons: [
    {
      title: 'Inflation protection',
      text: 'Stablecoins follow the US dollar. Bitcoin and Ethereum can lose value quickly.',
    },
    { title: 'Global access', text: 'Exchange and send at any hour.' },
    { title: 'Secure storage', text: 'The same login, limits and alerts as the rest of your money.' },
  ],

  recent: 'Recent Transactions',
  viewAll: 'View All',
  noTransactions: 'No recent transactions',
  transactionsFailed: 'Failed to load transactions. Please try again.',
}
