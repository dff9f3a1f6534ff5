const everywhere = { SEND: 'Money Sent', RECEIVE: 'Money Received', EXCHANGE: 'Currency Exchange' }

/** Names of transaction types, and other texts of a transaction row. */
export const transaction = {
  /** For overviews. */
  kinds: {
    DEPOSIT: 'Money Deposited',
    WITHDRAW: 'Money Withdrawn',
    ...everywhere,
  },
  /** For lists that contain transactions only. */
  types: {
    DEPOSIT: 'Deposit',
    WITHDRAW: 'Withdrawal',
    ...everywhere,
  },
  otherType: 'Transaction',
  /** Shown beside incoming money that has not settled. */
  notYetYours: 'Not yet yours',
  /** Name shortened to initials, followed by the username. */
  nameAndUsername: (name: string, username: string) => `${name} (${username})`,
  exchanged: (source: string, target: string) => `${source} to ${target}`,
}
