import type { DeskPosting, DeskRule } from '@tern/contract/desk/queues'
import { entries } from '@tern/messages/en/desk/entries'
import { facts } from '@tern/messages/en/desk/facts'
import { formatDateTime, formatMoney } from '@tern/web/ui/format/format.ts'
import { factText, describeLabel, describeCode } from './entry-text.ts'

const { money, rules: ruleTexts } = entries

/** Ledger postings of a held payment: those posted, and those that a release or a return would post. */
export function PostingTable({ postings }: { postings: readonly DeskPosting[] }) {
  return (
    <table className="dk-record">
      <thead>
        <tr>
          <th scope="col">{money.when}</th>
          <th scope="col">{money.from}</th>
          <th scope="col">{money.to}</th>
          <th scope="col" className="text-end">
            {money.amount}
          </th>
        </tr>
      </thead>
      <tbody>
        {postings.map(({ when, at, from, to, amount, currency }, index) => (
          // Keyed by position: postings have no ids, and their order is fixed.
          // oxlint-disable-next-line react/no-array-index-key
          <tr key={index} className={when === 'posted' ? 'font-medium' : 'text-ink-2'}>
            <td>{at === null ? money.at[when] : formatDateTime(at)}</td>
            <td>{placeText(from)}</td>
            <td className="@max-[560px]:before:content-['→_'_/_'']">{placeText(to)}</td>
            <td className="text-end @max-[560px]:col-start-2 @max-[560px]:row-start-1">
              {formatMoney(amount, currency)}
            </td>
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
    <table className="dk-record">
      <thead>
        <tr>
          <th scope="col" className="w-[28%]">
            {ruleTexts.rule}
          </th>
          <th scope="col" className="w-[44%]">
            {ruleTexts.inputs}
          </th>
          <th scope="col" className="w-[28%]">
            {ruleTexts.did}
          </th>
        </tr>
      </thead>
      <tbody>
        {rules.map(({ rule, version, inputs, did, at }) => (
          <tr key={`${rule} ${at}`}>
            <td>
              <b className="font-medium">{describeCode(rule)}</b>
              {version !== null && <span className="dk-hint">{ruleTexts.version(version)}</span>}
            </td>
            <td className="@max-[560px]:order-1 @max-[560px]:col-span-full">
              {inputs.map((fact) => (
                <span key={fact.label} className="block text-ink-2">
                  {describeLabel(fact.label)}: <span className="inline-block text-ink">{factText(fact)}</span>
                </span>
              ))}
            </td>
            <td className="@max-[560px]:text-end">
              {describeCode(did)}
              {at !== null && <span className="dk-hint">{formatDateTime(at)}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
