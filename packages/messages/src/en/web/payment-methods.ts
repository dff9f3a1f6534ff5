/** Choice of a card or bank account, to pay with or to withdraw to. */
export const paymentMethods = {
  card: 'Card',
  shortly: (name: string, last4: string) => `${name} ··${last4}`,
  cardEnding: (brand: string, last4: string) => `${brand} ending in ${last4}`,
  expires: (month: string, year: string) => `Expires ${month}/${year}`,
  expired: 'Expired',
  newCard: 'New card',
  newCardHint: "You'll enter your card on our payment partner's secure page.",
  saveCard: 'Save this card',

  bankAccount: 'Bank account',
  accountEnding: (last4: string) => `Account ending in ${last4}`,
  otherCurrencies: (currency: string) => `You can only choose accounts in ${currency} here.`,
  linkAccount: 'Link a bank account',
  selectAccount: 'Please select a bank account or add a new one',
  linkFailed: 'Unable to link bank account right now. Please try again later.',
  noLinkUrl: 'Failed to get bank linking URL',

  failed: "We couldn't load your cards and bank accounts.",
}
