const everywhere = { SEND: 'Money Sent', RECEIVE: 'Money Received', EXCHANGE: 'Currency Exchange' }

/** Names of transaction types and what else rows say. */
export const transaction = {
  /** In overviews. */
  kinds: {
    DEPOSIT: 'Money Deposited',
    WITHDRAW: 'Money Withdrawn',
    ...everywhere,
  },
  /** In lists of nothing but transactions. */
  types: {
    DEPOSIT: 'Deposit',
    WITHDRAW: 'Withdrawal',
    ...everywhere,
  },
  otherType: 'Transaction',
  /** Beside money that somebody sends, as long as its payment is not complete. */
  notYetYours: 'Not yet yours',
  /** Somebody of whom only the initials are known yet, with the username. */
  nameAndUsername: (name: string, username: string) => `${name} (${username})`,
  exchanged: (source: string, target: string) => `${source} to ${target}`,
}
