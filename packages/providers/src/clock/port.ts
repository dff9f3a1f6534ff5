/** The product's clock. All dates and deadlines use it, never `Date` itself. */
export interface Clock {
  now(): Date
}
