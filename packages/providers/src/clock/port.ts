/** The product's idea of now. Everything that is dated, or falls due, asks this and never `Date` itself. */
export interface Clock {
  now(): Date
}
