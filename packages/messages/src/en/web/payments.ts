/** Paying in: /deposit. */
export const payments = {
  subtitle: 'Add money to your wallet by card or from your bank.',
  amount: 'Amount',
  balance: (amount: string) => `Balance ${amount}`,
  walletFailed: 'Unable to load your wallet. Please try again later.',
  method: 'Payment method',
  card: 'Card',
  cardHint: 'In seconds',
  bank: 'Bank account',
  bankHint: 'In a few business days',
  continue: 'Continue to card payment',
  payNow: (amount: string) => `Pay ${amount}`,
  transfer: 'Start bank transfer',
  again: 'Try again',

  yourWalletGets: 'Your wallet gets',
  fee: 'Fee',
  noFee: 'None',
  cardPays: 'Your card pays',
  bankPays: 'Your bank pays',
  priceHint: 'Enter an amount to see the price.',
  holdsUntil: (time: string) => `This price holds until ${time}.`,
  priceRenewed: 'This quote has expired. Check the new price, then continue.',
  priceFirst: 'Check the price, then continue.',
  toBankAfter: {
    card: (days: number) =>
      `You can pay people with this money at once. It can go to a bank account ${days} ${days === 1 ? 'day' : 'days'} later, because card payments can be taken back.`,
    bank: (days: number) =>
      `You can pay people with this money as soon as it arrives. It can go to a bank account ${days} ${days === 1 ? 'day' : 'days'} later, because bank payments can be taken back.`,
  },
  toBankAtOnce: 'This money can go to a bank account as soon as it arrives.',
  toBankCost: (percent: string, days: number) => `Within ${days} days that costs ${percent} of it.`,
  how: 'What happens next',
  steps: {
    newCard: ['The payment is confirmed.', "The money is in your wallet, and you're back here."],
    savedCard: [
      'We charge your saved card. Your bank may ask you to confirm.',
      'The payment is confirmed.',
      'The money is in your wallet.',
    ],
    bank: [
      'We ask your bank for the money today.',
      'Until it arrives, it is pending.',
      'The money is in your wallet.',
    ],
  },

  declined: 'Failed to process card payment. Please try again.',
  bankFailed: 'Failed to initiate bank transfer. Please try again.',
  toWallet: 'Go to wallet',
  another: 'Add more money',

  bankStarted: 'Bank transfer started',
  onItsWay: 'Your money is on its way',
  willGet: 'Your wallet will get',
  from: 'From',
  arrives: 'Arrives',
  arrivesIn: 'In a few business days',
  onItsWayText: "Until then it is pending. If your bank declines, we'll email you.",
  transactionId: 'Transaction ID',
  seeTransactions: 'View transactions',

  retrying: "The connection was lost. We're trying again; you won't be charged twice.",
  unknownOutcome: "We don't know yet whether this payment went through. Try again: you won't be charged twice.",
  enterAmount: 'Please enter a valid amount',
  tooMuch: 'Above the maximum for one payment.',
  failed: 'Failed to process deposit. Please try again later.',
}
