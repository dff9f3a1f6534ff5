/** The price check of the landing page: its words are also what its script writes, so they stay few. */
export const priceCheck = {
  fee: (percent: string) => `Fee, ${percent}%`,
  rate: 'Mid-market rate',
  sameRate: 'Rate',
  nothingToConvert: 'Nothing to convert',
  notKnown: '—',
  way: (from: string, to: string) => `${from} to ${to}`,
  within: (place: string) => `Within ${place}`,
  liveRate: (moment: string) => `Rate from ${moment}`,
  noRate: 'We couldn’t load the live rate.',
}
