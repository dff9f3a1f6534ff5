/** Proof of a payment in the transparency log, on its receipt. */
export const proof = {
  title: 'Proof',
  states: 'This code proves that Tern recorded the payment exactly as stated on this receipt.',
  check: 'Anyone can check it without an account. Once the page is open, it needs no connection.',
  code: 'QR code: proof that this payment is in the books',
  verify: 'Verify',
  save: 'Save the proof',
  notYet: 'The proof is ready within a minute.',
  refresh: 'Look again',
  fileName: (reference: string) => `Tern ${reference}.tlog-proof`,
}
