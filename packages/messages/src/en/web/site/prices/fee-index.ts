import { plural } from '../../../../plural.ts'

const counted = plural('en')

/** Second part of /prices: fees actually paid, by month. */
export const feeIndex = {
  headline: 'What people really paid',
  sandbox: 'Sandbox month: test money',
  lead: 'Every completed payment of the month, with fee, exchange rate and rounding. We can’t choose which payments count.',
  empty: (date: string) => `No month is complete yet. The first figures appear on ${date}.`,
  failed: 'The figures couldn’t be loaded. Please reload the page.',
  loading: 'Loading the figures',
  noScript: 'The figures need JavaScript. You can download them as a CSV file instead.',
  month: 'Month',
  csv: 'Download as CSV',
  caption: (month: string) => `Total cost in ${month} beside the World Bank average`,
  columns: {
    route: 'Route',
    payments: 'Payments',
    mean: 'People paid',
    plot: 'Plot, 0 to 12 percent',
    bank: 'World Bank average',
  },
  route: (source: string, target: string) => `${source} to ${target}`,
  plotOf: (mean: string, bank: string) => `Tern ${mean}, World Bank average ${bank}`,
  keyOwn: 'people paid,',
  keyBank: 'World Bank',
  keyText: ', all providers, Q3 2023 (issue 47, CC BY 4.0): 6.18% worldwide, 5.44% to South Asia.',
  tooFew: (routes: string) => `Left out, because fewer than five people paid: ${routes}.`,
  allTooFew: 'No route was used by five different people this month. Showing fewer would reveal what one of them paid.',
  source: (payments: number, payers: string, month: string, at: string) =>
    `${counted(payments, { one: '1 completed payment', other: `${payers} completed payments` })} of ${month}, counted ${at}.`,
  method: 'How payments are counted',
  methodText: [
    'The cost of a payment is what the sender paid, minus what the recipient got, valued at the European Central Bank’s rate of that day (or the mid-market rate where there is none). Fee, spread and rounding are all included. Refunded and reversed payments are not counted.',
    'The World Bank measures what sending 200 US dollars costs. It publishes a global average and some regional ones; we use South Asia’s for rupees and the global one for all others.',
  ],
  recompute: 'Recompute a receipt',
}
