/** Page /wallet: balances and their value. */
export const holdings = {
  title: 'Holdings',
  exchange: 'Exchange',
  onHold: (amount: string, held: string) => `${amount}, ${held} on hold`,
  noPrice: 'no price now',
  allAtRates: "All together, at today's rates",
  allWithoutUnpriced: 'All together, without what has no price right now',
  failedTitle: "We couldn't load prices.",
  failedText: (currency: string) => `Your holdings are safe. Values in ${currency} return when rates do.`,
}
