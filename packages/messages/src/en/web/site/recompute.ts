/** The price of one receipt worked out again: /recompute. */
export const recomputing = {
  headline: 'Recompute a receipt',
  intro:
    'Every price can be worked out again from the rates that were published, rung by rung. Your browser does the arithmetic.',
  label: 'Receipt reference',
  hint: 'Your own: TRN and three groups, once you are logged in. Somebody else’s: the link from their receipt.',
  button: 'Recompute',
  loading: 'Reading the receipt',
  failed: 'The receipt couldn’t be loaded. Please try again.',
  example: 'TRN-8F41-D2K7-06DP',
  unknownTitle: 'No such receipt',
  unknownText:
    'Check the reference: TRN, then three groups of four. It stands at the foot of the receipt. A reference alone opens only for the person who paid; anybody else needs the link “Check price” from the receipt.',
  logIn: 'Log in',
  verdicts: { match: 'Exact match', mismatch: 'Does not match', unchecked: 'Cannot be checked' },
  matchText: 'Quote, receipt and ledger give the same figures, to the last minor unit.',
  offBy: (witness: string, step: string, stated: string, recomputed: string) =>
    `The ${witness} states ${stated} at ${step}; it comes out as ${recomputed}.`,
  differs: (witness: string, step: string) => `The ${witness} does not hold at ${step}.`,
  tell: 'Please keep this receipt and send us its reference.',
  atStep: (number: number, name: string) => `step ${number}, ${name.toLowerCase()}`,
  atQuote: 'the signature and time of the quote',
  witnesses: { quote: 'quote', receipt: 'receipt', ledger: 'ledger' },
  reasons: {
    not_completed: 'This payment is not completed. Its price can be checked once it is.',
    terms_missing:
      'It was paid without a quote, or priced when the bank had paid, so no price was promised that could be checked.',
    fix_missing:
      'A rate that the price was made of is not stored on this server. Nothing is said about the price until it is.',
  },
  ladder: 'The price, rung by rung',
  steps: {
    source_rate: 'Source rate',
    cross_rate: 'Cross rate',
    spread: 'Spread',
    amount: 'Amount',
    rounding: 'Rounding',
    fee: 'Fee',
    total_cost: 'Total cost',
  },
  spreadOf: (percent: string) => `Spread, ${percent}`,
  feeOf: (percent: string) => `Fee, ${percent}`,
  explained: {
    source_rate: 'As published, and stored unchanged.',
    cross_rate: (target: string, source: string) =>
      `${target} for one ${source}: one rate divided by the other, kept as an exact ratio.`,
    spread: (source: string, target: string) => `The spread for ${source} to ${target}, set before the quote was made.`,
    amount: 'The amount given, at this rate.',
    amountBridged: 'Through USDT and on. What is bought and sold in between is rounded to its own six places.',
    roundingDown: 'Rounded down, like every amount that arrives.',
    roundingUp: 'Rounded up, like every amount that must be enough for what arrives.',
    fee: 'Of the amount, rounded half up to the minor unit.',
    total_cost: 'Everything between what was paid and what arrived at the mid-market rate.',
  },
  lines: {
    fix: (base: string, quote: string) => `1 ${base} in ${quote}`,
    into_bridge: 'Into USDT',
    out_of_bridge: 'Out of USDT',
    residue: 'To the rounding account',
    total_paid: 'Total paid',
    fee: 'Fee',
    spread: 'Spread',
    rounding: 'Rounding',
    together: (amount: string) => `Together, of ${amount}`,
    reference: (date: string) => `Rate against the ECB fix of ${date}`,
  },
  sources: { ecb: 'European Central Bank', bitstamp: 'Bitstamp', sandbox: 'Sandbox market' } as Readonly<
    Partial<Record<string, string>>
  >,
  table: 'Receipt against recomputation',
  columns: { receipt: 'Receipt', recomputed: 'Recomputed', off: 'Off by' },
  rows: { arrived: 'Arrived', fee: 'Fee', paid: 'Paid' },
  cost: 'Cost of this payment',
  proportion: 'at true proportion',
  here: 'Here',
  regions: { global: 'World average', south_asia: 'South Asia' },
  bank: (region: string) => `${region}: World Bank, Remittance Prices Worldwide, issue 47, Q3 2023, sending 200 USD.`,
  operators: 'Whoever runs this server can check the same with',
  signed: (made: string, accepted: string) =>
    `The quote’s signature is valid: made ${made}, accepted ${accepted}, while it held. No names are shown here.`,
  signedLate: (made: string, accepted: string) =>
    `The quote’s signature is valid: made ${made}, accepted ${accepted}, while it held; the money came later at the same price. No names are shown here.`,
  notSigned: 'The quote’s signature is not valid. No names are shown here.',
  noQuote: 'There is no quote. No names are shown here.',
  shared: 'Whoever has this page’s address sees these amounts.',
}
