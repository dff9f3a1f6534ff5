/** Paying out: /withdraw. */
export const withdrawals = {
  subtitle: 'Move money from your wallet to your bank account.',
  amount: 'Amount',
  all: 'All',
  allOf: (amount: string) => `All, ${amount}`,
  balance: (amount: string) => `Balance ${amount}`,
  nowToBank: (available: string) => `${available} can go to a bank now.`,
  later: 'Later to a bank',
  partLater: {
    card: (amount: string, date: string) => `${amount} came by card and can go to a bank from ${date}.`,
    bank_debit: (amount: string, date: string) =>
      `${amount} came from a bank account and can go to a bank from ${date}.`,
    provisional_credit: (amount: string) =>
      `${amount} is credit for a dispute. It can go to a bank, and to people you hadn’t paid before, once that is decided.`,
  },
  partReceived: 'Some of it was sent to you by somebody who had added it that way.',
  whyLater:
    'Such money can be taken back by a card or bank, or after a decision, so it waits. You can pay people with it before.',
  walletFailed: 'Unable to load your wallet. Please try again later.',
  accountsFailed: 'Unable to load your accounts. Please try again later.',
  enterAmount: 'Please enter a valid amount',
  insufficientForFee: (most: string) => `With the fee that is more than your balance. You can withdraw ${most}`,
  insufficient: (balance: string) => `Insufficient funds. Your balance is ${balance}`,

  youGet: 'You get',
  to: 'To',
  fee: 'Fee',
  noFee: 'None',
  whyFee: (days: number, percent: string) =>
    `Money added by card within ${days} days costs ${percent} on its way to a bank: that is about what cards cost us.`,
  withoutFee: (free: string) => `${free} of your money goes first, without a fee.`,
  arrivesBy: 'Arrives by',
  arrivesIn: 'Arrives in',
  dateOpen: '1–3 business days',
  left: 'Left in your wallet',
  debitedAtOnce:
    "The money leaves your wallet right away. Bank withdrawals take 1–3 business days; weekends and bank holidays don't count.",
  withdraw: 'Withdraw',
  again: 'Try again',
  retrying: "The connection was lost. We're trying the same withdrawal again; it is never made twice.",
  unknownOutcome:
    "We don't know yet whether your money has left. Try again: it's the same withdrawal, and it is never made twice.",
  unconfirmed: 'Not confirmed. Nothing was withdrawn.',
  nothingWithdrawn: 'Nothing was withdrawn.',
  refused: 'Withdrawal could not be processed. Please try again or contact support.',
  failed: 'Failed to process withdrawal. Please try again later.',

  ordered: 'Withdrawal started',
  onItsWay: 'Your money is on its way',
  arrived: 'Your money has arrived',
  onHold: 'Withdrawal on hold',
  onHoldText: 'Nothing has gone to your bank yet.',
  notMade: 'Not withdrawn',
  notMadeText: 'All of it is back in your wallet.',
  youWillGet: 'You will get',
  transactionId: 'Transaction ID',
  onItsWayText: "It stays pending until your bank receives it. If it's returned, we'll email you.",
  seeTransactions: 'View transactions',
  another: 'Make another withdrawal',

  returnedPending: (date: string) => `Your withdrawal is on its way. It should arrive by ${date}.`,
  returnedCompleted: 'Your withdrawal has reached your bank.',
  returnedUnknown: 'See your transactions for the status of your withdrawal.',
}
