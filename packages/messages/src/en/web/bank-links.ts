/** Outcome of linking a bank account. */
export const bankLinks = {
  linked: 'Bank account linked successfully!',
  canceled: 'Bank account linking was canceled.',
  pending: "We're waiting for your bank to confirm. The account will appear here as soon as it does.",
  unknown: 'Your linked bank accounts are shown below.',
  linkedAlready:
    'You have already linked an account at this bank that ends in the same digits, so this one was not linked. If it is a different account, remove the other one first.',
  holderDiffers: {
    withContact:
      'This bank account is not in the name you verified, so it was not linked. Link an account of your own, or contact support if your name has changed.',
    without: 'This bank account is not in the name you verified, so it was not linked. Link an account of your own.',
  },
}
