/** Stored reference to a bank account at Stripe: its holder, its debit method and its payout method. */
export interface BankToken {
  /** Customer (`cus_…`), or account (`acct_…`) if we also pay out. */
  readonly holder: string
  readonly paymentMethod: string | undefined
  readonly payoutMethod: string | undefined
}

export const writeBankToken = ({ holder, paymentMethod, payoutMethod }: BankToken): string =>
  [holder, paymentMethod ?? '', payoutMethod ?? ''].join('/')

/** Parses a token; undefined if it is not of this provider. */
export function readBankToken(token: string): BankToken | undefined {
  const [, holder, paymentMethod, payoutMethod] = /^((?:acct|cus)_\w+)\/((?:pm_\w+)?)\/(\w*)$/.exec(token) ?? []
  if (holder === undefined) return undefined
  return { holder, paymentMethod: paymentMethod || undefined, payoutMethod: payoutMethod || undefined }
}

/** Returns whether the holder is an account at Stripe rather than a customer. */
export const isAccount = (holder: string): boolean => holder.startsWith('acct_')
