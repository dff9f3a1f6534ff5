/** Texts of the price check that its browser script also writes; few, because they add to the script's size. */
export const priceCheck = {
  fee: (percent: string) => `Fee, ${percent}%`,
  rate: 'Mid-market rate',
  sameRate: 'Rate',
  nothingToConvert: 'Nothing to convert',
  notKnown: '—',
  way: (from: string, to: string) => `${from} to ${to}`,
  within: (country: string) => `Within ${country}`,
  liveRate: (moment: string) => `Rate from ${moment}`,
  noRate: 'We couldn’t load the live rate.',
  costOfSending: (amount: string) => `The cost of sending ${amount}`,
  tern: (percent: string) => `Tern, ${percent}%`,
}
