/** The wallet: /wallet. */
export const wallets = {
  subtitle: 'Manage your funds and send across borders',
  balanceOf: (currency: string) => `${currency} Balance`,
  mainCurrency: 'Your main currency',
  onItsWay: (amount: string) => `${amount} pending`,
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  failed: 'Unable to load your wallet. Please try again later.',

  onHold: (amount: string) => `${amount} on hold`,
  names: { USDT: 'Tether', USDC: 'USD Coin', BTC: 'Bitcoin', ETH: 'Ethereum' },

  crossing: 'Cross-Currency Transfers',
  crossingSteps: (currency: string) => [
    { title: `${currency} becomes USDT`, text: 'Your money is exchanged at the mid-market rate.' },
    { title: 'USDT is transferred securely', text: 'It arrives within seconds.' },
    { title: 'USDT becomes the local currency', text: 'The recipient gets the money of their country.' },
  ],
  makeTransfer: 'Make International Transfer',

  protection: 'Currency Protection',
  protectionText: 'Keep part of your money in another currency, and change it back at any time.',
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
  priceHint: 'Enter an amount to see what you get, the rate and the fee.',
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
      text: 'Stablecoins hold the value of the US dollar when your own currency loses value.',
    },
    { title: 'Global access', text: 'Send it to any Tern user, in any country and currency.' },
    { title: 'Secure storage', text: 'Every movement is recorded in a ledger no one can alter.' },
  ],

  recent: 'Recent Transactions',
  viewAll: 'View All',
  noTransactions: 'No recent transactions',
  transactionsFailed: 'Failed to load transactions. Please try again.',
}
