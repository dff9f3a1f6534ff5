/** Choosing the card or the bank account that pays or is paid, wherever that is chosen. */
export const paymentMethods = {
  card: 'Card',
  cardEnding: (brand: string, last4: string) => `${brand} ending in ${last4}`,
  expires: (month: string, year: string) => `Expires ${month}/${year}`,
  expired: 'Expired',
  newCard: 'New card',
  newCardHint: 'You enter your card on the page of our payment provider. Tern never sees its number.',
  saveCard: 'Save this card',

  bankAccount: 'Bank account',
  accountEnding: (last4: string) => `Account ending in ${last4}`,
  noAccounts: 'No bank account is linked yet.',
  otherCurrencies: (currency: string) => `Only accounts in ${currency} can be chosen here.`,
  linkAccount: 'Link a bank account',
  selectAccount: 'Please select a bank account or add a new one',
  linkHolderDiffers:
    'This bank account is in another name than the one you verified, so it was not linked. Link an account of your own, or ask support if the name has changed.',
  linkFailed: 'Unable to link bank account right now. Please try again later.',
  noLinkUrl: 'Failed to get bank linking URL',
  linked: 'Bank account linked successfully!',
  linkCanceled: 'Bank account linking was canceled.',
  linkPending: 'We are waiting for your bank to confirm the link. The account appears here as soon as it does.',

  failed: 'Your cards and bank accounts did not load.',
}
