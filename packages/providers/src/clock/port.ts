/** The product's clock, which can be set in the sandbox. Signature ages and call deadlines use the real time. */
export interface Clock {
  now(): Date
}
