import type { NotificationParams } from '@tern/contract/notifications/notification-params'
import type { CurrencyCode } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import type { AddressedNotice } from '../../notifications/notifications.ts'
import type { TransactionRow } from '../row-types.ts'

/** A transaction that may need a notice to its owner. */
export type MovedRow = Pick<
  TransactionRow,
  'user_id' | 'id' | 'description' | 'source_amount' | 'source_currency' | 'target_amount' | 'target_currency'
> & {
  readonly kind: 'DEPOSIT' | 'WITHDRAW' | 'SEND' | 'RECEIVE'
  readonly status: 'COMPLETED' | 'FAILED'
  /** Counterparty; null for deposits and withdrawals. */
  readonly other_id: bigint | null
}

type NoticePerson = NotificationParams['money_received']['person']

const toAmount = (currency: CurrencyCode, minor: bigint) => ({ amount: toDecimal(money(currency, minor)), currency })

/** Returns the notice to a row's owner, if any. Shows whole names, since the payment has arrived. */
export function buildNotice(row: MovedRow, person: NoticePerson | undefined): AddressedNotice | undefined {
  const to = { userId: row.user_id, subjectId: row.id }
  const receivedAmount = toAmount(row.target_currency, row.target_amount)
  const paidAmount = toAmount(row.source_currency, row.source_amount)
  const { description } = row
  switch (row.kind) {
    case 'RECEIVE':
      return person && { ...to, code: 'money_received', params: { person, ...receivedAmount, description } }
    case 'SEND':
      if (!person) return undefined
      // `dedupe` limits these to one notice per payee.
      return {
        ...to,
        code: 'new_payee_paid',
        dedupe: String(person.id),
        params: { person, ...paidAmount, description },
      }
    case 'DEPOSIT': {
      const { code, params } = parseDescription(description)
      if (code === 'withdrawal_returned') {
        return { ...to, code, params: { ...receivedAmount, bank_name: params.bank ?? '' } }
      }
      const method = code === 'card_deposit' ? 'card' : code === 'bank_deposit' ? 'bank' : undefined
      return method && { ...to, code: 'deposit_arrived', params: { ...receivedAmount, method } }
    }
    case 'WITHDRAW': {
      const { code, params } = parseDescription(description)
      if (code !== 'withdrawal') return undefined
      const details = { ...paidAmount, bank_name: params.bank ?? '', last4: params.last4 ?? '' }
      return { ...to, code: row.status === 'FAILED' ? 'withdrawal_failed' : 'withdrawal_arrived', params: details }
    }
  }
}

/** Code and parameters of a description that the product wrote. */
function parseDescription(text: string): { code: string; params: Readonly<Record<string, string>> } {
  const [code = ''] = text.split(' ', 1)
  const params = text.slice(code.length + 1)
  return { code, params: params === '' ? {} : (JSON.parse(params) as Record<string, string>) }
}
