/** Money that cannot be withdrawn yet. */
export const restricted = {
  later: 'Not withdrawable yet',
  partLater: {
    card: (amount: string, date: string) => `${amount} added by card can be withdrawn from ${date}.`,
    bank_debit: (amount: string, date: string) => `${amount} added from a bank account can be withdrawn from ${date}.`,
    provisional_credit: (amount: string) =>
      `${amount} is credit for a dispute. Once that is decided, you can withdraw it or send it to people you haven’t paid before.`,
  },
  partReceived: 'Some of it was sent to you by someone who added it that way.',
  whyLater: 'This money could still be reversed, so it can’t be withdrawn yet. You can already send it to people.',
  exchangeFirst: (currency: string) => `Exchange it to ${currency} first.`,

  ofBalanceFrom: (amount: string, currency: string, date: string) =>
    `${amount} of your ${currency} balance can be withdrawn from ${date}.`,
  ofBalanceLater: (amount: string, currency: string) => `${amount} of your ${currency} balance can be withdrawn later.`,
  seeWallet: 'See your wallet',
}
