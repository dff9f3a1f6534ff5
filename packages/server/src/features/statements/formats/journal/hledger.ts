import { currencyCodes, scaleOf } from '@tern/money/currency'
import { money, toDecimal } from '@tern/money/money'
import { toPlainText } from '../plain-text.ts'
import { openingAccount } from './accounts.ts'
import { type JournalBalance, type JournalEntry, type JournalItem, type JournalSource, planJournal } from './journal.ts'
import { formatPrice } from './price.ts'

const formatAmount = ({ currency, minor }: Omit<JournalBalance, 'account'>): string =>
  `${toDecimal(money(currency, minor))} ${currency}`

/** Text of a description, in which a semicolon would begin a comment and a bar would end the payee. */
const escapeText = (text: string): string => toPlainText(text).replaceAll(';', ',').replaceAll('|', '/')

const formatPosting = (account: string, amount: string): string => `    ${account}  ${amount}\n`

/** Writes a journal for hledger. */
export async function* writeHledger(source: JournalSource): AsyncGenerator<string, void, undefined> {
  yield '; hledger journal of a Tern wallet\n\n'
  yield currencyCodes
    .map((code) => `commodity ${scaleOf(code) === 0 ? '1000.' : `1000.${'0'.repeat(scaleOf(code))}`} ${code}\n`)
    .join('')
  for await (const item of planJournal(source)) yield formatItem(item)
}

function formatItem(item: JournalItem): string {
  switch (item.type) {
    case 'account':
      return `\naccount ${item.account}\n`
    case 'price':
      return `\nP ${item.day} ${item.currency} ${formatPrice(item.rate)} ${item.unit}\n`
    case 'opening':
      return [
        `\n${item.day} * Opening balances\n`,
        ...item.balances.map((balance) => formatPosting(balance.account, formatAmount(balance))),
        ...item.balances.map(({ currency, minor }) =>
          formatPosting(openingAccount, formatAmount({ currency, minor: -minor })),
        ),
      ].join('')
    case 'entry':
      return formatEntry(item.day, item.entry)
    case 'balances':
      return [
        `\n${item.day} * Balances\n`,
        ...item.balances.map(({ account, currency, minor }) =>
          formatPosting(account, `0 ${currency} = ${formatAmount({ currency, minor })}`),
        ),
      ].join('')
  }
}

function formatEntry(day: string, { id, at, kind, reference, payee, note, counterAmount, postings }: JournalEntry) {
  const tags = [
    `id:${id}`,
    `kind:${kind}`,
    `time:${at.toISOString()}`,
    ...(counterAmount ? [`counterpart:${formatAmount(counterAmount)}`] : []),
  ]
  const title = [...(payee === null ? [] : [escapeText(payee)]), escapeText(note)].join(' | ')
  return [
    `\n${day} * (${reference ?? ''}) ${title}`.trimEnd(),
    '\n',
    ...tags.map((tag) => `    ; ${tag}\n`),
    ...postings.map(({ account, total, ...amount }) =>
      formatPosting(account, total ? `${formatAmount(amount)} @@ ${formatAmount(total)}` : formatAmount(amount)),
    ),
  ].join('')
}
