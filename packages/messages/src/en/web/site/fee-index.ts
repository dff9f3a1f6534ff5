import { plural } from '../../../plural.ts'

const counted = plural('en')

/** What people really paid, month by month: /prices. */
export const feeIndex = {
  description:
    'What people really paid for sends between currencies, month by month, beside the World Bank’s averages.',
  headline: 'What people really paid',
  sandbox: 'Sandbox month: test money',
  lead: 'Fee, exchange rate and rounding, counted from every receipt of a month that is over. Nobody picks the numbers.',
  counted: (month: string, mean: string, global: string) =>
    `Fee, exchange rate and rounding, counted from every receipt of ${month}: ${mean} of the amount on average. The World Bank’s global average is ${global}.`,
  empty:
    'Nothing is counted yet. A month is counted when it is over, so the first figures stand here on the first day after the first month with payments.',
  failed: 'The figures couldn’t be loaded. Please reload the page.',
  loading: 'Loading the figures',
  noScript: 'Figures are drawn by a small script. Without it, they are in the CSV file.',
  costs: 'What sending 200.00 USD costs',
  own: 'Tern',
  others: { digitalOnly: 'Digital-only', digital: 'Digital', global: 'Average', banks: 'Banks' },
  bank: 'World Bank, Remittance Prices Worldwide, issue 47, Q3 2023, cost of sending 200 USD. CC BY 4.0.',
  ownMonth: (month: string) => `Tern: ${month}, from this page. The others: `,
  byCorridor: 'By corridor',
  month: 'Month',
  csv: 'CSV',
  csvName: 'Download as CSV',
  key: 'Key',
  keyOwn: 'people paid, average',
  keyGlobal: 'World Bank, global 6.18%',
  keySouthAsia: 'World Bank, South Asia 5.44%',
  keyBanks: 'World Bank, banks 11.48%',
  caption: (month: string) =>
    `Total cost per corridor in ${month}, against the World Bank averages of Q3 2023 (issue 47)`,
  columns: {
    corridor: 'Corridor',
    payments: 'Payments',
    fee: 'Fee',
    rate: 'Rate and rounding',
    mean: 'People paid in all',
    median: 'Half paid at most',
    range: '8 in 10 paid',
    plot: 'Plot, 0 to 12 percent',
    bank: 'World Bank average',
    kept: 'Kept on 200 USD',
  },
  corridor: (source: string, target: string) => `${source} to ${target}`,
  averages: { global: 'World Bank average', south_asia: 'World Bank average, South Asia' },
  tooFew: (corridors: string) => `Too few to show, because fewer than five people paid: ${corridors}.`,
  allTooFew:
    'No corridor was used by five different people in this month, so there is nothing to show without telling what one of them paid.',
  source: (payments: number, payers: string, month: string, at: string) =>
    `${counted(payments, { one: '1 completed payment', other: `${payers} completed payments` })} of ${month}, counted ${at}. Measured at the European Central Bank’s fix of each quote’s day, or the mid-market rate where there is none.`,
  method: [
    {
      title: 'How a payment is counted',
      text: 'What the sender paid, less what the recipient got at the ECB fix, over the amount sent. So fee, spread and rounding are all in it. Refunded and reversed payments are not.',
    },
    {
      title: 'What it is compared with',
      text: 'The World Bank asks what sending 200 USD costs. It gives the global average, 6.18%, and some regions: South Asia, 5.44%. Where it names no region we can use, the global figure stands.',
    },
    {
      title: 'To a bank',
      text: 'Moving money from a wallet to a bank is free. An installation may charge for money that cards paid in lately: then it says how much before the card is charged, where you add money.',
    },
    { title: 'Check one yourself', text: 'Any receipt can be worked out again from the stored fix, step by step.' },
  ],
  recompute: 'Recompute a receipt',
}
