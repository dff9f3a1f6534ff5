import type { DeskPosting, DeskRule } from '@tern/contract/desk/queues'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { formatDateTime, formatMoney } from '@tern/web/ui/format/format.ts'
import { factText, labelOf, wordsOf } from './entry-text.ts'

const { money, rules: ruleTexts } = entries

/** Ledger postings of a held payment, and those that a release and a return would make. */
export function PostingTable({ postings }: { postings: readonly DeskPosting[] }) {
  return (
    <table className="dk-record dk-postings">
      <thead>
        <tr>
          <th scope="col">{money.when}</th>
          <th scope="col">{money.from}</th>
          <th scope="col">{money.to}</th>
          <th scope="col">{money.amount}</th>
        </tr>
      </thead>
      <tbody>
        {postings.map(({ when, at, from, to, amount, currency }, index) => (
          // Legs have no ids, and their order is fixed.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index} className={when === 'posted' ? 'dk-posted' : undefined}>
            <td>{at === null ? money.at[when] : formatDateTime(at)}</td>
            <td>{placeText(from)}</td>
            <td>{placeText(to)}</td>
            <td>{formatMoney(amount, currency)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function placeText({ account, whose }: DeskPosting['from']): string {
  const name = facts.accounts[account as keyof typeof facts.accounts] ?? account
  return whose === null ? name : money.place(money.whose[whose], name)
}

/** Rules that fired, with their inputs and effects. */
export function RuleTable({ rules }: { rules: readonly DeskRule[] }) {
  return (
    <table className="dk-record dk-rules">
      <thead>
        <tr>
          <th scope="col">{ruleTexts.rule}</th>
          <th scope="col">{ruleTexts.inputs}</th>
          <th scope="col">{ruleTexts.did}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map(({ rule, version, inputs, did, at }) => (
          <tr key={`${rule} ${at}`}>
            <td>
              <b>{wordsOf(rule)}</b>
              {version !== null && <span className="dk-hint">{ruleTexts.version(version)}</span>}
            </td>
            <td>
              {inputs.map((fact) => (
                <span key={fact.label} className="dk-input">
                  {labelOf(fact.label)}: <span>{factText(fact)}</span>
                </span>
              ))}
            </td>
            <td>
              {wordsOf(did)}
              {at !== null && <span className="dk-hint">{formatDateTime(at)}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
