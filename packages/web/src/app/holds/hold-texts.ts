import type { Check } from '@tern/contract/compliance/checks'
import type { Transfer } from '@tern/contract/transfers'
import { holds as texts } from '#messages/transfers/holds.ts'
import { formatDateTime } from '../../ui/format/format.ts'

type HoldKind = keyof typeof texts.kinds

/** Kind of a check; `limited` where the law forbids disclosing it. */
export const chooseKind = ({ telling, kind }: Pick<Check, 'telling' | 'kind'>): HoldKind =>
  telling === 'limited' ? 'limited' : kind

export interface HoldTexts {
  readonly kind: HoldKind
  readonly chip: string
  readonly from: string
  readonly until: string
  readonly untilText: string
  readonly reason: string
  readonly facts: readonly { readonly term: string; readonly value: string }[]
}

const listFacts = (need: string, place: string, decider: string, fallback: string) => [
  { term: texts.facts.need, value: need },
  { term: texts.facts.where, value: place },
  { term: texts.facts.who, value: decider },
  { term: texts.facts.otherwise, value: fallback },
]

/** Texts for an open check. If it asks for an answer, the clock runs to the person's deadline. */
export function describeCheck(check: Check): HoldTexts {
  const kind = chooseKind(check)
  const { need, need_by: answerDeadline, answered_at: answeredAt, request_id: requestId } = check
  const scope = requestId !== null ? 'guest' : check.transfers.length > 0 ? 'transfer' : 'account'
  const needText =
    need === 'nothing' && answeredAt ? texts.needs.answered(formatDateTime(answeredAt)) : texts.needs[need]
  return {
    kind,
    chip: answerDeadline ? texts.asks : texts.onHold[kind],
    from: check.opened_at,
    until: answerDeadline ?? check.decide_by,
    untilText: answerDeadline ? texts.answerBy : texts.decidedBy,
    reason: texts.reasons[kind],
    facts: listFacts(
      needText,
      texts.where[scope],
      kind === 'name' ? texts.who.name : texts.who.payment,
      scope === 'guest' ? texts.otherwise.guest : texts.otherwise.check,
    ),
  }
}

/** Texts for a transfer that an operator has to review. */
export function describeReview({
  until,
  lasts_ms: lastsMs,
  at_deadline: end,
}: NonNullable<Transfer['hold']>): HoldTexts {
  return {
    kind: 'review',
    chip: texts.onHold.review,
    from: new Date(Date.parse(until) - lastsMs).toISOString(),
    until,
    untilText: texts.decidedBy,
    reason: texts.reasons.review,
    facts: listFacts(
      texts.needs.nothing,
      texts.where.transfer,
      texts.who.review,
      end === 'settle' ? texts.otherwise.settle : texts.otherwise.release,
    ),
  }
}

/** Texts for a transfer held until the screening lists are up to date. */
export const describeLists = ({ until, lasts_ms: lastsMs }: NonNullable<Transfer['hold']>): HoldTexts => ({
  kind: 'lists',
  chip: texts.onHold.lists,
  from: new Date(Date.parse(until) - lastsMs).toISOString(),
  until,
  untilText: texts.expectedBy,
  reason: texts.reasons.lists,
  facts: listFacts(texts.needs.nothing, texts.where.transfer, texts.who.lists, texts.otherwise.lists),
})
