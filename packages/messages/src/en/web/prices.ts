/** What a price says of itself, wherever one is shown. */
export const prices = {
  gets: (name: string) => `${name} gets`,
  amount: 'Amount',
  exactly: 'To the last digit',
  midMarketRate: 'Mid-market rate',
  fee: (percent: string) => `Fee, ${percent}`,
  total: 'Total',
  delivery: 'Delivery',
  within: { seconds: 'Within seconds', minutes: 'Within minutes' },
  rateOf: (time: string) => `Rate of ${time}.`,
  inOneCurrency: 'No exchange: what you send is what arrives.',
  bankCost: (cost: string) => `An average bank would charge ${cost} for this transfer.`,
  bankSource: 'World Bank, Remittance Prices Worldwide, Q3 2023: banks cost 11.48 % on average.',
  oneToOne: '1 to 1',
  timesRate: (rate: string) => `× ${rate}`,
  flow: (from: string, via: string | undefined, to: string) =>
    via ? `${from} becomes ${via}, then ${to}` : `${from} becomes ${to}`,
  loading: 'Asking for the price',
  failedTitle: 'No price right now',
  summary: (gets: string, amount: string, total: string) => `${gets} ${amount}. Total ${total}.`,
  unchanged: 'The price has been renewed. Nothing changed.',
  changed: (name: string, now: string, before: string) =>
    `The old price has expired. ${name} now gets ${now} instead of ${before}.`,
  changedTotal: (now: string, before: string) => `The total is now ${now} instead of ${before}.`,
  holdsFor: (seconds: number) => `This price holds for ${seconds} s more.`,
}
