// Descriptions of transactions. Users' notes are stored verbatim, the product's descriptions as a message code followed
// by its parameters as JSON.

import type { activity } from '@tern/messages/en/activity'
import { type Coded, type Message, type Params, sentence } from '@tern/messages/message'
import type { Messages } from '../../platform/messages.ts'
import type { TransactionKind } from './move.ts'

/** A user's note, or a message of the product. */
export type Description = string | Coded<(typeof activity)['transactions']>

/** Kinds whose description is the user's note; the product describes all others. */
const ownKinds: ReadonlySet<TransactionKind> = new Set(['SEND', 'RECEIVE'])

/** Stored form of a description. */
export function serializeDescription(description: Description): string {
  if (typeof description === 'string') return description
  const { code, params } = description
  return params === undefined ? code : `${code} ${JSON.stringify(params)}`
}

/** Returns a row's description in the language of `messages`. */
export function formatDescription(
  { activity: { transactions } }: Messages,
  kind: TransactionKind,
  text: string,
): string {
  if (ownKinds.has(kind)) return text
  const [code = ''] = text.split(' ', 1)
  const params = text.slice(code.length + 1)
  return sentence(transactions, {
    code,
    ...(params === '' ? {} : { params: JSON.parse(params) as Params }),
  } as Coded<typeof transactions>)
}

const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Returns a message with placeholders for its parameters, and their names in order. */
function parseTemplate(message: Message<Params>): { text: string; names: string[] } {
  if (typeof message === 'string') return { text: message, names: [] }
  const names: string[] = []
  const marks = new Proxy<Params>(
    {},
    {
      get(_, name) {
        names.push(String(name))
        return `{${String(name)}}`
      },
    },
  )
  return { text: message(marks), names }
}

/** SQL: title of a row `t` if it is an exchange, otherwise null. */
export function exchangeSql({ activity: { transactions } }: Messages): string {
  const text = parseTemplate(transactions.exchange as Message<Params>).text
  const filledSql = `replace(replace(${quoteLiteral(text)}, '{from}', t.source_currency), '{to}', t.target_currency)`
  return `case when t.kind = 'EXCHANGE' then ${filledSql} end`
}

/** SQL: description of a row `t`, equal to `formatDescription`. Lists are searched and sorted by it. */
export function descriptionSql({ activity: { transactions } }: Messages): string {
  const branches = Object.entries(transactions).map(([code, message]) => {
    const { text, names } = parseTemplate(message as Message<Params>)
    const params = `substr(t.description, ${String(code.length + 2)})::jsonb`
    const filledSql = names.reduce(
      (filling, name) => `replace(${filling}, ${quoteLiteral(`{${name}}`)}, ${params} ->> ${quoteLiteral(name)})`,
      quoteLiteral(text),
    )
    return `when ${quoteLiteral(code)} then ${filledSql}`
  })
  return `case when t.kind in (${[...ownKinds].map(quoteLiteral).join(', ')}) then t.description
    else case split_part(t.description, ' ', 1) ${branches.join(' ')} end end`
}
