import type { FiatCode } from '@tern/money/currency'
import { money, type Money, toDecimal, zero } from '@tern/money/money'
import { splitByShares } from '@tern/money/shares'
import { split } from '#messages/transfers/split.ts'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { Balance } from '../../../ui/money/Balance.tsx'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { type SplitDraft, parseShares, type SplitValues } from './split-parts.ts'
import { type ScaleBlock, SplitScale } from './SplitScale.tsx'
import type { SplitFormModel } from './use-split-form.ts'

const text = (amount: Money, currency: FiatCode) => formatExact(toDecimal(amount), currency)

/** Amount requested from the other participants, derived from the bill. */
export function SplitSheet({ form, currency }: { form: SplitFormModel; currency: FiatCode }) {
  const { values, draft } = form
  const ownIndex = values.people.findIndex(({ isOwn }) => isOwn)
  const { remaining } = draft
  const isByShares = values.method === 'shares'
  const sum = isByShares ? values.people.reduce((all, { shares }) => all + (parseShares(shares) ?? 0n), 0n) : 0n
  return (
    <aside aria-label={split.summary} className="sticky top-24 max-xl:static">
      <Sheet>
        <SplitScale blocks={listBlocks(values, draft)} />
        <div className="px-6 pt-5 pb-6">
          <p className="small muted">{draft.otherCount > 0 ? split.youAsk(draft.otherCount) : split.nobodyYet}</p>
          <p className="mb-3 wrap-anywhere">
            <Balance amount={toDecimal(draft.requested)} currency={currency} size="small" />
          </p>
          <DefinitionList
            small
            entries={[
              {
                term: isByShares ? split.billOf(String(sum)) : split.bill,
                value: text(draft.total ?? zero(currency), currency),
              },
              ownIndex >= 0 && {
                term: isByShares ? split.yoursOf(values.people[ownIndex]?.shares ?? '') : split.yours,
                value: text(draft.parts[ownIndex] ?? zero(currency), currency),
              },
              form.hasRemainder && {
                term: remaining.minor < 0n ? split.over : split.toAssign,
                value: text(remaining.minor < 0n ? money(currency, -remaining.minor) : remaining, currency),
              },
              { term: split.theyPay, value: text(draft.requested, currency), sum: true },
            ]}
          />
          <p className="small muted mt-4">{describeNote(values, draft, currency)}</p>
        </div>
      </Sheet>
    </aside>
  )
}

function listBlocks({ people }: SplitValues, { parts, remaining }: SplitDraft): ScaleBlock[] {
  const blocks = people.map(({ user }, index) => ({
    name: user.name ?? user.username,
    minor: parts[index]?.minor ?? 0n,
    kind: 'part' as const,
  }))
  return [...blocks, { name: '', minor: remaining.minor, kind: 'rest' }]
}

function describeNote(values: SplitValues, { total, parts, remaining }: SplitDraft, currency: FiatCode): string {
  const knownParts = parts.filter((part) => part !== undefined)
  if (!total || values.people.length < 2 || knownParts.length < parts.length) {
    return values.method === 'amounts' && total ? split.sendOnce : split.begin
  }
  if (values.method === 'amounts') return remaining.minor === 0n ? split.whole : split.sendOnce
  const unit = text(money(currency, 1n), currency)
  if (values.method === 'shares') {
    const shares = values.people.reduce((sum, person) => sum + (parseShares(person.shares) ?? 0n), 0n)
    const [firstPart = zero(currency)] = shares > 1n ? splitByShares(total, [1n, shares - 1n]) : [total]
    const isEven = total.minor % shares === 0n
    return isEven ? split.oneShare(text(firstPart, currency)) : split.oneShareAbout(text(firstPart, currency), unit)
  }
  const largerCount = knownParts.filter(({ minor }) => minor > (knownParts.at(-1)?.minor ?? 0n)).length
  return largerCount === 0 ? split.even : split.larger(largerCount, unit)
}
