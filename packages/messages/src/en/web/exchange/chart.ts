/** Texts of rate charts. */
export const rateChart = {
  /** Chart title, for example "1 EUR" in "USDT". */
  title: (unit: string, target: string) => `${unit} in ${target}`,
  range: 'Range',
  ranges: { '24h': '24 h', '7d': '7 d', '30d': '30 d', '1y': '1 y' },
  changeIn: {
    '24h': (change: string) => `${change} in 24 hours`,
    '7d': (change: string) => `${change} in 7 days`,
    '30d': (change: string) => `${change} in 30 days`,
    '1y': (change: string) => `${change} in a year`,
  },
  slider: (title: string, from: string, to: string) => `${title}, ${from} to ${to}. Arrow keys read one rate at a time`,
  /** Data point, for screen readers. */
  reading: (when: string, rate: string) => `${when}: ${rate}`,
  noRates: 'No rates stored',
  emptyTitle: 'No history for this pair yet',
  emptyText: 'It starts with the first rate we receive.',
  failed: "We couldn't load the history of this rate.",
  loading: 'Loading the rates',
  /** Descriptions of the publishers in a quote's `rate_source`. */
  sources: {
    ecb: 'Euro reference rate of the European Central Bank, fixed once each business day.',
    bitstamp: 'Market price from Bitstamp.',
    openexchangerates: 'Market rate from Open Exchange Rates.',
    sandbox: 'Price from the sandbox market, for testing.',
    other: (name: string) => `Price from ${name}.`,
  },
  rests: 'Dotted: no new rate that day, so the last one applies.',
  lastChange: (moment: string) => `Last change ${moment}.`,
  showTable: 'Show as table',
  caption: (title: string, from: string, to: string) => `${title}, each change from ${from} to ${to}`,
  since: 'Since',
  change: 'Change',
}
