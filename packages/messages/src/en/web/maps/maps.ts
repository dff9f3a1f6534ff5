/** The lettering of maps. */
export const maps = {
  distance: (count: number) => `${count.toLocaleString('en')} km`,
  /** The city that stands for each currency's area. A currency without one has no arc. */
  cities: {
    USD: 'New York',
    GBP: 'London',
    CAD: 'Toronto',
    AUD: 'Sydney',
    EUR: 'Frankfurt',
    JPY: 'Tokyo',
    SGD: 'Singapore',
    INR: 'Mumbai',
    BRL: 'São Paulo',
  },
}
