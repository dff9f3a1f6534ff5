/** The city that stands for each currency's area. */
export const cities = {
  USD: 'New York',
  GBP: 'London',
  CAD: 'Toronto',
  AUD: 'Sydney',
  EUR: 'Frankfurt',
  JPY: 'Tokyo',
  SGD: 'Singapore',
  INR: 'Mumbai',
  BRL: 'São Paulo',
}
