/** Money in and out, fees and savings in a month. */
export const month = {
  moneyIn: 'In',
  moneyOut: 'Out',
  fees: 'Including fees',
  saved: 'Saved compared with a bank',
  tern: 'Tern',
  bank: 'Average bank',
  bar: (tern: string, bank: string) => `Tern ${tern}, an average bank ${bank}`,
  showSource: 'How this is calculated',
  source: (amount: string) =>
    `11.48% of the ${amount} you sent abroad, less your fees. World Bank, Remittance Prices Worldwide, issue 47, Q3 2023.`,
  /** Label of the example shown before the first transfer. */
  costText: (amount: string) => `Sending ${amount} into another currency`,
  fee: 'Fee, 1%',
  rate: 'Rate',
  midMarket: 'Mid-market',
  total: 'Total to pay',
}
