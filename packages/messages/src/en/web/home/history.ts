/** Chart of the balance. */
export const history = {
  chart: (period: string, lowest: string, highest: string, now: string) =>
    `Balance over ${period}: between ${lowest} and ${highest}, now ${now}.`,
  periodNames: { '30': '30 days', '90': '90 days', '365': '1 year' },
  ago: { '30': '30 days ago', '90': '90 days ago', '365': 'a year ago' },
  today: 'Today',
  day: 'Day',
  /** Data point, for screen readers. */
  reading: (day: string, amount: string) => `${day}, ${amount}`,
  /**
   * Sentence about the change of the balance, in parts. Amounts are elements of the caller's choice; undefined if no
   * money came in or went out.
   */
  change: <T>(
    way: 'up' | 'down' | 'same',
    ago: string,
    amounts: { change: T; moneyIn: T | undefined; moneyOut: T | undefined },
  ) => [
    ...(way === 'same' ? ['The same as '] : [amounts.change, way === 'up' ? ' more than ' : ' less than ']),
    `${ago}: `,
    ...(amounts.moneyIn === undefined ? ['nothing'] : [amounts.moneyIn]),
    ' in, ',
    ...(amounts.moneyOut === undefined ? ['nothing'] : [amounts.moneyOut]),
    ' out.',
  ],
  noMovement: (period: string) => `Nothing came in or went out in the last ${period}.`,
}
