/** The balance over time. */
export const history = {
  chart: (period: string, lowest: string, highest: string, now: string) =>
    `Balance over ${period}: between ${lowest} and ${highest}, now ${now}.`,
  periodNames: { '30': '30 days', '90': '90 days', '365': '1 year' },
  today: 'Today',
  /** The change of the balance in a sentence; the amounts are put in as they come. */
  change: <T>(way: 'up' | 'down' | 'same', period: string, amounts: { change: T; moneyIn: T; moneyOut: T }) => [
    ...(way === 'same' ? ['Unchanged'] : [way === 'up' ? 'Up ' : 'Down ', amounts.change]),
    ` in ${period}: `,
    amounts.moneyIn,
    ' in, ',
    amounts.moneyOut,
    ' out.',
  ],
  noMovement: (period: string) => `Nothing came in or went out in ${period}.`,
  emptyTitle: 'A line will start here',
  emptyText: 'Your balance over time, from the first money that comes in.',
}
