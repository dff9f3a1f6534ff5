/** Exchanging between balances: /exchange. */
export const exchange = {
  tabs: 'Exchange',
  swap: 'Exchange',
  from: 'From',
  to: 'To',
  currencyFrom: 'From: currency',
  currencyTo: 'To: currency',
  available: (amount: string) => `Available ${amount}`,
  youHave: (amount: string) => `You have ${amount}`,
  max: 'Max',
  maxLabel: (amount: string) => `Max: ${amount}, which leaves room for the fee`,
  flip: (from: string, to: string) => `Flip: ${from} to ${to}`,
  rate: 'Rate',
  source: 'Source',
  lastRate: 'Last rate',
  totalCost: 'Total cost',
  youPayInAll: 'You pay in all',
  youGet: 'You get',
  priceHint: 'Enter an amount on either side to see the whole price.',
  holdsFor: 'This price holds for',
  minuteLeft: 'This price holds for one more minute.',
  secondsLeft: 'This price holds for 15 more seconds.',
  renewed: 'The price was renewed. Nothing changed.',
  review: 'Review exchange',
  reviewTitle: 'Review and Confirm',
  back: 'Back',
  confirm: 'Exchange',
  tryAgain: 'Try again',
  checkAgain: 'Check again',
  between: 'in transit',
  youPay: 'you pay',
  get: 'you get',
  enterAmount: 'Enter an amount to exchange',
  notEnough: (balance: string) => `The amount and its fee exceed your balance of ${balance}.`,
  failed: 'Exchange failed.',
  retrying: 'The connection was lost. Trying again; you will only be charged once.',
  unknownOutcome: "We don't know yet whether this went through. Try again: you will only be charged once.",
  noPrice: 'No price right now',

  expired: 'This quote has expired',
  priceNow: 'Here is the price now.',
  less: (amount: string) => `${amount} less`,
  more: (amount: string) => `${amount} more`,
  cancel: 'Cancel',
  accept: 'Accept new price',

  tooOld: 'This rate is too old to use.',
  /** For how long a rate of a kind is used: hours, or minutes where that is less than one. */
  tooOldText: (currency: string, age: { hours: number; minutes: number }, businessDays: boolean) => {
    const most = age.hours >= 1 ? `${age.hours} hours` : `${age.minutes} minutes`
    return `We exchange ${currency} only on a rate less than ${most} old${businessDays ? ' on a business day' : ''}.`
  },
  nothingTaken: 'Nothing was taken from your balance.',
  looksAgain: 'This page looks again every minute.',
  returnAsk: 'Tell me when rates are back',
  returnAsked: "We'll email you and show a notification.",
  returnForget: "Don't tell me",
  returnFailed: "We couldn't save that. Please try again.",

  youGot: 'You got',
  youWillGet: "You'll get",
  youPaid: 'You paid',
  balanceNow: (currency: string) => `${currency} now`,
  reference: 'Reference',
  pdf: 'Receipt (PDF)',
  pdfSaved: 'Receipt saved',
  pdfFailed: "We couldn't make the receipt. Please try again.",
  done: 'Done',
  anotherExchange: 'New exchange',

  emptyTitle: 'Nothing to exchange yet',
  emptyText: (currency: string) =>
    `Add money in ${currency} first. Then you can change it into USDT, USDC, BTC or ETH, and back.`,
  addMoney: 'Add money',
  walletFailed: 'Unable to load your wallet. Please try again later.',
}

/** Where the rate of a price comes from. */
export const rateSources = {
  names: { ecb: 'ECB', bitstamp: 'Bitstamp', sandbox: 'Sandbox' },
  and: (first: string, second: string) => `${first} and ${second}`,
  /** The one fix of a business day. */
  ecbFix: (day: string) => `ECB fix of ${day}`,
  at: (name: string, time: string) => `${name}, ${time}`,
  withSpread: (source: string, percent: string) => `${source} + ${percent}%`,
  published: (moment: string) => `published ${moment}`,
  older: (moment: string) => `the older of ${moment}`,
}
