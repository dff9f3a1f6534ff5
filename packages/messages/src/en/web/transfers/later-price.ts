/** Cross-currency send from a bank account, which is priced once the bank has paid. */
export const laterPrice = {
  getsAbout: (name: string) => `${name} gets about`,
  bankPricedLater: (name: string) =>
    `A bank payment takes a few business days. We convert it at the exchange rate when your bank pays. If ${name} would get less than the minimum you set here, nothing is sent and the money stays in your wallet.`,
  least: (name: string) => `${name} gets at least`,
  leastImpossible: 'Enter an amount up to the estimate',
  aboutAtLeast: (about: string, least: string | undefined) =>
    least === undefined ? `About ${about}` : `About ${about}; at least ${least}, otherwise the money stays yours`,
  sentAfterBankLater: (name: string) =>
    `Your bank has been asked to pay, which takes a few business days. The amount is an estimate: it’s converted at the exchange rate when your bank pays. If ${name} would get less than your minimum, nothing is sent and the money is in your wallet.`,
  sendAtNewPrice: 'Send at the new price',
  willGetAbout: (name: string) => `${name} will get about`,
}
