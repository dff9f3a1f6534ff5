/** Paying in: /deposit. */
export const payments = {
  title: 'Deposit Funds',
  subtitle: 'Add money to your wallet with a card.',
  amount: 'Amount',
  balance: (amount: string) => `Balance ${amount}`,
  walletFailed: 'Unable to load your wallet. Please try again later.',
  method: 'Payment method',
  card: 'Card',
  cardHint: 'Debit or credit',
  continue: 'Continue to Card Payment',
  yourWalletGets: 'Your wallet gets',
  fee: 'Fee',
  noFee: 'None',
  youPay: 'Your card pays',
  how: 'How it goes',
  steps: [
    'You enter your card on the page of our payment provider. Tern never sees its number.',
    'The provider tells us that the payment is made.',
    'The money is in your wallet, and you come back here.',
  ],

  waitingTitle: 'Waiting for the payment provider',
  waiting:
    'We are waiting for the provider to confirm your payment. You can leave this page; the money arrives all the same.',
  stillWaiting: 'The provider has not answered yet. The money will appear in your wallet as soon as it does.',
  askAgain: 'Ask again',
  success: 'Payment successful! Your funds have been added to your wallet.',
  canceled: 'Payment was canceled. No funds have been charged.',
  declined: 'Failed to process card payment. Please try again.',
  unknownPayment: 'We know of no such payment of yours. Your balance is as shown.',
  statusFailed: 'We could not ask how your payment stands.',
  toWallet: 'Go to Wallet',

  enterAmount: 'Please enter a valid amount',
  tooMuch: 'This is more than one card payment can carry.',
  failed: 'Failed to process deposit. Please try again later.',
}
