/** The way of money from one currency into another. */
export const conversion = {
  oneToOne: '1 to 1',
  timesRate: (rate: string) => `× ${rate}`,
  flow: (from: string, via: string | undefined, to: string) =>
    via ? `${from} becomes ${via}, then ${to}` : `${from} becomes ${to}`,
}
