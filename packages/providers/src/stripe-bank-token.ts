/** What is kept of a bank account at Stripe: whose it is, how it is debited, and how it is paid to. */
export interface BankToken {
  /** A customer (`cus_…`), or an account (`acct_…`) where we pay out as well. */
  readonly holder: string
  readonly paymentMethod: string | undefined
  readonly payoutMethod: string | undefined
}

export const writeBankToken = ({ holder, paymentMethod, payoutMethod }: BankToken): string =>
  [holder, paymentMethod ?? '', payoutMethod ?? ''].join('/')

/** Reads a token; undefined when it is none of this provider's. */
export function readBankToken(token: string): BankToken | undefined {
  const [, holder, paymentMethod, payoutMethod] = /^((?:acct|cus)_\w+)\/((?:pm_\w+)?)\/(\w*)$/.exec(token) ?? []
  if (holder === undefined) return undefined
  return { holder, paymentMethod: paymentMethod || undefined, payoutMethod: payoutMethod || undefined }
}

/** Whether somebody is known to Stripe by an account, not by a mere customer. */
export const isAccount = (holder: string): boolean => holder.startsWith('acct_')
