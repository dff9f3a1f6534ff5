import { money, toDecimal } from '@tern/money/money'
import { dayAfter } from '../days.ts'
import { toPlainText } from '../plain-text.ts'
import { openingAccount } from './accounts.ts'
import { type JournalBalance, type JournalEntry, type JournalItem, type JournalSource, planJournal } from './journal.ts'
import { formatPrice } from './price.ts'

const formatAmount = ({ currency, minor }: Omit<JournalBalance, 'account'>): string =>
  `${toDecimal(money(currency, minor))} ${currency}`

const quote = (text: string): string => `"${toPlainText(text).replaceAll(/["\\]/g, String.raw`\$&`)}"`

const formatPosting = (account: string, amount: string): string => `  ${account}  ${amount}\n`

/** Writes a journal for Beancount. */
export async function* writeBeancount(source: JournalSource): AsyncGenerator<string, void, undefined> {
  yield '; Beancount journal of a Tern wallet\n\noption "title" "Tern"\n'
  for await (const item of planJournal(source)) yield formatItem(item)
}

function formatItem(item: JournalItem): string {
  switch (item.type) {
    case 'account':
      return `\n${item.day} open ${item.account}${item.currency === null ? '' : ` ${item.currency}`}\n`
    case 'price':
      return `\n${item.day} price ${item.currency} ${formatPrice(item.rate)} ${item.unit}\n`
    case 'opening':
      return [
        `\n${item.day} * "Opening balances"\n`,
        ...item.balances.map((balance) => formatPosting(balance.account, formatAmount(balance))),
        ...item.balances.map(({ currency, minor }) =>
          formatPosting(openingAccount, formatAmount({ currency, minor: -minor })),
        ),
      ].join('')
    case 'entry':
      return formatEntry(item.day, item.entry)
    // Beancount compares at the start of a day.
    case 'balances':
      return `\n${item.balances
        .map((balance) => `${dayAfter(item.day)} balance ${balance.account}  ${formatAmount(balance)}\n`)
        .join('')}`
  }
}

function formatEntry(day: string, { id, at, kind, reference, payee, note, counterAmount, postings }: JournalEntry) {
  const facts = [
    ['id', id],
    ['kind', kind],
    ['time', at.toISOString()],
    ...(reference === null ? [] : [['reference', reference]]),
    ...(counterAmount ? [['counterpart', formatAmount(counterAmount)]] : []),
  ]
  const title = [...(payee === null ? [] : [quote(payee)]), quote(note)].join(' ')
  return [
    `\n${day} * ${title} ^tern-${id}\n`,
    ...facts.map(([key = '', value = '']) => `  ${key}: ${quote(value)}\n`),
    ...postings.map(({ account, total, ...amount }) =>
      formatPosting(account, total ? `${formatAmount(amount)} @@ ${formatAmount(total)}` : formatAmount(amount)),
    ),
  ].join('')
}
