const everywhere = { SEND: 'Money Sent', RECEIVE: 'Money Received', EXCHANGE: 'Currency Exchange' }

/** Names of transaction types and other texts of rows. */
export const transaction = {
  /** In overviews. */
  kinds: {
    DEPOSIT: 'Money Deposited',
    WITHDRAW: 'Money Withdrawn',
    ...everywhere,
  },
  /** In lists that contain only transactions. */
  types: {
    DEPOSIT: 'Deposit',
    WITHDRAW: 'Withdrawal',
    ...everywhere,
  },
  otherType: 'Transaction',
  /** Beside incoming money whose payment is not complete. */
  notYetYours: 'Not yet yours',
  /** Person shown by initials only, with the username. */
  nameAndUsername: (name: string, username: string) => `${name} (${username})`,
  exchanged: (source: string, target: string) => `${source} to ${target}`,
}
