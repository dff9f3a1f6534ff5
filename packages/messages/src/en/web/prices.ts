/** Parts of a price. */
export const prices = {
  gets: (name: string) => `${name} gets`,
  amount: 'Amount',
  exactly: 'Exact amount',
  midMarketRate: 'Mid-market rate',
  fee: (percent: string) => `Fee, ${percent}`,
  total: 'Total to pay',
  delivery: 'Arrives',
  within: { seconds: 'In seconds', minutes: 'In minutes' },
  rateFrom: (time: string) => `Rate from ${time}`,
  inOneCurrency: 'No exchange: what you send is what arrives.',
  bankCost: (cost: string) => `An average bank would charge ${cost} for this transfer.`,
  bankSource: 'World Bank, Remittance Prices Worldwide, Q3 2023: banks cost 11.48% on average.',
  usdtStep: 'Show the USDT step',
  flow: (from: string, via: string | undefined, to: string) =>
    via ? `${from} becomes ${via}, then ${to}` : `${from} becomes ${to}`,
  loading: 'Getting the price',
  failedTitle: 'No price right now',
  summary: (gets: string, amount: string, total: string) => `${gets} ${amount}. Total to pay ${total}.`,
  unchanged: 'The price was renewed. Nothing changed.',
  changed: (name: string, now: string, before: string) =>
    `The old price expired. ${name} now gets ${now} instead of ${before}.`,
  changedTotal: (now: string, before: string) => `The total is now ${now} instead of ${before}.`,
  holdsFor: (seconds: number) => `This price holds for ${seconds} s more.`,
}
