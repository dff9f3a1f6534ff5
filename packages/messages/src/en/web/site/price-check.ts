/** The price check of the first page: its words are also what its script writes, so they stay few. */
export const priceCheck = {
  youSend: 'You send',
  theyGet: 'They get',
  sendCurrency: 'Currency you send',
  getCurrency: 'Currency they get',
  fee: (percent: string) => `Fee, ${percent}%`,
  rate: 'Mid-market rate',
  total: 'You pay in all',
  costOf: (amount: string) => `What sending ${amount} costs`,
  liveRate: (moment: string) => `Live rate of ${moment}.`,
  noRate: 'Live rates do not answer right now; this is still the example.',
}
