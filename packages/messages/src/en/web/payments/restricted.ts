/** Money that cannot go to a bank yet, in every place that shows it. */
export const restricted = {
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
  exchangeFirst: (currency: string) => `Exchange it to ${currency} first.`,

  ofBalanceFrom: (amount: string, currency: string, date: string) =>
    `${amount} of your ${currency} balance can go to a bank from ${date}.`,
  ofBalanceLater: (amount: string, currency: string) => `${amount} of your ${currency} balance can go to a bank later.`,
  seeWallet: 'See your wallet',
}
