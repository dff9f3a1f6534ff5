// Accounts of journals: the wallet's balances, and where their money came from or went.

import type { activity } from '@tern/messages/en/activity'
import type { CurrencyCode } from '@tern/money/currency'
import type { BalancePart, MovementTransaction } from '../../movement.ts'

export const openingAccount = 'Equity:Opening'
export const feeAccount = 'Expenses:Fees'
const exchangeAccount = 'Equity:Exchanges'
const cardAccount = 'Equity:Transfers:Cards'
const bankAccount = 'Equity:Transfers:Bank-accounts'
const receivedAccount = 'Income:Received'
const sentAccount = 'Expenses:Sent'
const disputeAccount = 'Income:Disputes'
const otherAccount = 'Equity:Other'

/** Account of a balance, such as Assets:Tern:USD:Available. */
export const balanceAccount = (part: BalancePart, currency: CurrencyCode): string =>
  `Assets:Tern:${currency}:${part === 'available' ? 'Available' : 'On-hold'}`

/** Counterpart of each kind of deposit, withdrawal and exchange, by the code of its description. */
const counterparts: Readonly<Record<keyof (typeof activity)['transactions'], string>> = {
  card_deposit: cardAccount,
  bank_deposit: bankAccount,
  guest_payment: receivedAccount,
  payment_for_transfer: cardAccount,
  payment_for_unmade_transfer: cardAccount,
  card_payment_refunded: cardAccount,
  card_payment_taken_back: cardAccount,
  card_payment_given_back: cardAccount,
  card_payment_won_back: cardAccount,
  card_payment_returned: cardAccount,
  bank_payment_refunded: bankAccount,
  bank_payment_taken_back: bankAccount,
  bank_payment_returned: bankAccount,
  bank_payment_given_back: bankAccount,
  bank_payment_won_back: bankAccount,
  missing_money_paid: cardAccount,
  exchange: exchangeAccount,
  limit_order: exchangeAccount,
  stop_order: exchangeAccount,
  protection_rule: exchangeAccount,
  withdrawal: bankAccount,
  withdrawal_returned: bankAccount,
  dispute_refund: disputeAccount,
  dispute_credit: disputeAccount,
  dispute_credit_taken_back: disputeAccount,
}

const fundingAccount = (source: MovementTransaction['payment_source']): string =>
  source === 'bank' ? bankAccount : cardAccount

/** Returns the account of the money's other side. */
export function findCounterpart(transaction: MovementTransaction | null): string {
  if (!transaction) return otherAccount
  const { kind, description, payment_source: source } = transaction
  if (kind === 'SEND') return sentAccount
  if (kind === 'RECEIVE') return receivedAccount
  const [code = ''] = description.split(' ', 1)
  if (code.startsWith('payment_for_')) return fundingAccount(source)
  return Object.hasOwn(counterparts, code) ? counterparts[code as keyof typeof counterparts] : otherAccount
}

/** Returns the account of money that pays for a send and only passes through the wallet. */
export const findFunding = (transaction: MovementTransaction | null): string =>
  transaction?.kind === 'SEND' ? fundingAccount(transaction.payment_source) : findCounterpart(transaction)
