import type { InsightBalance } from '@tern/contract/insight'
import { insights as texts } from '#messages/insight/insights.ts'

export type Counterparty = InsightBalance['counterparties'][number]

/** Name of the other party: the person's name or username, or a word for payers without an account. */
export const nameParty = ({ name, username }: Counterparty['party']): string => name ?? username ?? texts.guests
