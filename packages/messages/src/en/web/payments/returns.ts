/** Page /deposit after returning from the payment provider. */
export const paymentReturns = {
  waitingTitle: 'Waiting for confirmation',
  waiting: "We're waiting for your payment to be confirmed. You can leave this page; the money arrives either way.",
  stillWaiting: "Your payment isn't confirmed yet. The money will appear in your wallet as soon as it is.",
  askAgain: 'Check again',
  goOn: 'Continue payment',
  cancelPayment: 'Cancel payment',
  unfinished: (amount: string) => `You started a ${amount} card payment.`,
  cancelFailed: "We couldn't cancel this payment.",
  success: 'Payment successful! Your funds have been added to your wallet.',
  canceled: 'Payment was canceled. No funds have been charged.',
  reversed: 'Your card or bank reversed this payment. See your transactions.',
  unknownPayment: "We couldn't find that payment. Your balance below is up to date.",
  statusFailed: "We couldn't check your payment.",
  paying: { card: 'Your card pays', bank: 'Your bank pays', wallet_partial: 'Your card pays' },
  paid: { card: 'Your card paid', bank: 'Your bank pays', wallet_partial: 'Your card paid' },
  added: 'Money added',
}
